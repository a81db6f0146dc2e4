"""What stands around every call: who may make it, how many, how it is counted and refused."""
