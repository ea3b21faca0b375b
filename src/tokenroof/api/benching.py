"""`bench`: one campaign on this machine, set up by the protocol.

1. the model's header is read, so that a file that cannot run is refused before anything starts
2. the engine is started and says where it would run
3. the sensors that this machine has are taken, the declared queue among them
4. the CPU's read bandwidth is measured, before the campaign and after it
5. the campaign runs; every run is in the journal before the next begins
"""

from __future__ import annotations
