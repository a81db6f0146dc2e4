"""How well the tests guard the code: their number, branch coverage, and 200 fixed mutants.

A mutant is a small change of one statement that the tests should notice; one that they notice
is killed. `python -m bench.mutants --help` says how to measure, and `baseline.json` holds the
figures that may not fall.
"""
