"""Where a machine tells about itself: one small file for each source.

Each reads one library, one tree of files or one program's output and gives our own records. The
files' root, the library, or the output is an argument, so that recorded ones can be read in the
tests. What is not there, or is in another form, is None or nothing; none of them raises.

Nothing that names a person or one particular machine is taken: no serial numbers, no UUIDs, no
host name.
"""
