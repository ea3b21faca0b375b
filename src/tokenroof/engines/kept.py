"""Another project's program as a child that ends when we do, however we end.

Between us and the program stands the `keeper`, which kills it as soon as our end of its input is
gone. When we are the ones to kill, the program has to go first: a keeper that was killed keeps
nothing any more.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

from tokenroof.engines.child import Child

KEEPER = (sys.executable, "-P", "-m", "tokenroof.engines.keeper")
_GRACE_SECONDS = 10.0


class Kept(Child):
    """A program, started with a keeper before it. `pid` is the keeper's; the program is its child.

    Args:
        engine: the name that its errors bear.
        command: the program and its arguments.
        environment: its variables; None for our own.
        listen: hears every line of its log, on the thread that reads them.
    """

    def __init__(
        self,
        engine: str,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        listen: Callable[[str], object] | None = None,
    ) -> None:
        super().__init__(engine, (*KEEPER, *command), environment, listen)

    def kill(self) -> None:
        """End the program and its keeper at once. Safe to call twice."""
        import psutil

        try:
            family = psutil.Process(self.pid).children(recursive=True) if self.alive else []
        except psutil.Error:
            family = []
        for process in family:
            with contextlib.suppress(psutil.Error):
                process.kill()
        if family:
            # The keeper sees it end, and ends; only then is its memory free again.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE_SECONDS)
        super().kill()
