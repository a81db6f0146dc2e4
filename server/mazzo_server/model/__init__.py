"""The values that all rooms speak in: definitions, outcomes, manifests, reports, roles."""
