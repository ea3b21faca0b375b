"""What was measured, kept: one append-only journal of runs, and the conditions beside it.

The journal, ``runs.jsonl`` in the user's data folder, is the truth. Everything else, the state
of a campaign included, can be worked out from it again.
"""
