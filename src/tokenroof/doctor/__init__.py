"""This machine, examined: what it is, how fast its memory is, what would falsify a measurement.

`examine` looks at everything and gives a `Doctor`. What cannot be found out is None; nothing that
names a person or the machine is in it unless it is asked for.
"""

from __future__ import annotations

from tokenroof.doctor.examination import Tell, examine
from tokenroof.doctor.records import Doctor

__all__ = ["Doctor", "Tell", "examine"]
