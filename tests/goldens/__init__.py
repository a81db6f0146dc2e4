"""What every public command printed when it was recorded, which nothing may change by accident.

`recorded/NAME.json` has what the commands of a scenario answer to scripts: the exit status of
each, and the value of each `--json`, record and trace. It may not change, but where an issue says
so. `recorded/NAME.txt` has what they tell people: tables, reports, messages. It may be recorded
again when wording changes on purpose. Times and the like are taken out (`support.timeless`).

From `tests/`, with the Python of the environment:

    python -m goldens                   # play every scenario, and compare to the last digit
    python -m goldens kills- faults     # only those whose names begin so
    python -m goldens --record games    # play and record them; look at `git diff` before a commit
    python -m goldens --record-text     # the same, but only what is told to people

`make test` plays those that take little time, and `make prove` all.
"""
