"""Completes what stands before the cursor in bash, zsh and fish: what is offered, and how."""
