"""The wire contract: generated from `proto/mazzo/v1` by `make generate`, never edited."""
