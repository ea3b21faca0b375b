"""Which version of an engine there is now, as far as that can be told in a moment.

A package says it without being loaded, a running Ollama when it is asked, and llama.cpp's programs
print it; but a build with a GPU library may look for GPUs first. Whoever asks wants to know whether
an old measurement still holds, and does not wait for that.
"""

from __future__ import annotations

import subprocess
from functools import cache

from tokenroof.engines import llama_programs
from tokenroof.engines.http_connection import Limits
from tokenroof.engines.ollama_api import OllamaApi
from tokenroof.engines.ollama_terms import client_of, endpoint_of
from tokenroof.engines.owners import is_local
from tokenroof.errors import TokenroofError
from tokenroof.predict.learnt.calibrated import installed_version as version_of_package

MOMENT_SECONDS = 0.1

_PROGRAMS = ("llama-server", "llama-bench")


@cache
def installed_version(engine: str) -> str | None:
    """The version of an engine, in the words of its `Identity`; None where it is not told soon."""
    try:
        if engine in _PROGRAMS:
            return _of_program(engine)
        if engine == "ollama":
            return _of_ollama()
    except TokenroofError:
        return None
    return version_of_package(engine)


def _of_program(name: str) -> str | None:
    try:
        done = subprocess.run(
            [str(llama_programs.find(name)), "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=MOMENT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return llama_programs.version_in(done.stdout.decode("utf-8", "replace"))


def _of_ollama() -> str | None:
    endpoint = endpoint_of()
    if not is_local(endpoint.url):
        return None
    limits = Limits(connect_seconds=MOMENT_SECONDS, answer_seconds=MOMENT_SECONDS)
    return OllamaApi(client_of(endpoint, limits)).version()
