"""Instances of bots that run: in a sandbox, or on their author's machine."""
