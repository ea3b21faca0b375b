"""Engines: what reads a prompt and writes an answer, behind one small interface (`base`)."""
