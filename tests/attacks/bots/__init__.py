"""The attackers. They run inside the sandbox: nothing but Python, the SDK and each other."""
