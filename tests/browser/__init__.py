"""The pages in a real Chromium: `make test-web`."""
