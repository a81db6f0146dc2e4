"""Text for people and scripts: tables, lines, JSON, CSV."""
