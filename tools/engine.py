"""The embedded engine and llama.cpp's own tools, compiled for this CPU, once per machine.

A wheel of llama-cpp-python that is compiled for the very CPU it runs on is what makes measured
speeds mean something, and it takes minutes. So it is kept outside the repository, in the
platform's cache folder, under a key of everything that it depends on: its version, and what the
compiler says of itself and of this CPU. Nothing unfinished ever has its final name: a build that
was killed goes on where it stopped.

    python3 tools/engine.py wheel    the path of the wheel, compiled if need be
    python3 tools/engine.py tools    llama-bench and the other tools, from the same source tree
    python3 tools/engine.py where NAME    the path of one of them, if it was built
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from say import SetupError, run, say

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"

WHEEL_CMAKE = ("-DLLAVA_BUILD=OFF", "-DLLAMA_BUILD_TOOLS=OFF")
TOOLS_CMAKE = (
    "-DLLAMA_BUILD_TOOLS=ON",
    "-DLLAMA_BUILD_SERVER=ON",
    "-DLLAMA_BUILD_TESTS=OFF",
    "-DLLAMA_BUILD_EXAMPLES=OFF",
    "-DLLAMA_OPENSSL=OFF",
    "-DGGML_RPC=ON",
    # The tools are moved into place when all are there, so they look for their libraries beside
    # themselves.
    "-DCMAKE_BUILD_RPATH_USE_ORIGIN=ON",
)
TOOLS = ("llama-bench", "llama-server", "llama-fit-params", "llama-quantize", "ggml-rpc-server")
# Core minutes as measured on an EPYC of 2023, with some to spare.
WHEEL_CORE_MINUTES = 10
TOOLS_CORE_MINUTES = 10


def requirement() -> tuple[str, str]:
    """Name and version of the engine's package, as pyproject.toml pins it."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    for entry in project["optional-dependencies"]["embedded"]:
        name, equal, version = str(entry).partition("==")
        if equal and name.strip() == "llama-cpp-python":
            return name.strip(), version.strip()
    message = "pyproject.toml pins no llama-cpp-python in its extra 'embedded'."
    raise SetupError(message)


def cache_folder() -> Path:
    """Where this platform keeps what can be made again."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
        return base / "tokenroof" / "Cache" / "engine"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "tokenroof" / "engine"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "tokenroof" / "engine"


def compiler() -> str | None:
    """The C++ compiler that CMake would take, or None."""
    named = os.environ.get("CXX")
    if named:
        return shutil.which(named)
    return next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)


def native_macros(cxx: str) -> str:
    """All that the compiler defines when it compiles for this CPU.

    These lines name its version, the platform and every instruction set of the CPU, which is all
    that decides whether a build made earlier is the one that would be made now.
    """
    for flag in ("-march=native", "-mcpu=native"):
        command = [cxx, flag, "-E", "-dM", "-x", "c++", os.devnull]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        if answer.returncode == 0:
            return answer.stdout
    return platform.processor()


def home() -> Path:
    """The folder of exactly this build: version, platform, CPU and compiler."""
    name, version = requirement()
    cxx = compiler()
    if cxx is None:
        message = (
            "There is no C++ compiler, and the engine must be compiled for this CPU: install one "
            "(Debian and Ubuntu: apt-get install g++) and run this again."
        )
        raise SetupError(message)
    digest = hashlib.sha256("\n".join(sorted(native_macros(cxx).splitlines())).encode())
    system = f"{platform.system()}-{platform.machine()}".lower()
    return cache_folder() / f"{name}-{version}-{system}-{digest.hexdigest()[:12]}"


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, so that two makes never compile the same thing at once."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            say(f"Waiting until no other process is at work in {folder} ...")
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say(f"Another process is at work in {folder}: waiting for it to end ...")
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _minutes(core_minutes: int) -> int:
    return max(1, round(core_minutes / (os.cpu_count() or 1)))


def finished_wheel(folder: Path) -> Path | None:
    """The wheel, if it was finished."""
    return next(iter(sorted((folder / "wheel").glob("*.whl"))), None)


def wheel(python: Path) -> Path:
    """The engine's wheel, compiled with the pip of `python` if this machine has none yet.

    Raises:
        SetupError: there is no compiler, the source cannot be had, or the build failed.
    """
    folder = home()
    found = finished_wheel(folder)
    if found:
        return found
    with alone(folder):
        found = finished_wheel(folder)
        if found:
            return found
        name, version = requirement()
        source = _source(folder, python)
        say(
            f"Compiling {name} {version} (llama.cpp) for this CPU: about "
            f"{_minutes(WHEEL_CORE_MINUTES)} minutes on {os.cpu_count()} cores, once per machine. "
            f"If you stop it, the next run goes on where it was."
        )
        part = folder / "wheel.part"
        shutil.rmtree(part, ignore_errors=True)
        command = [str(python), "-m", "pip", "wheel", "--disable-pip-version-check", "-v"]
        command += ["--no-deps", "-w", str(part), "-C", f"build-dir={folder / 'build'}"]
        arguments = " ".join([os.environ.get("CMAKE_ARGS", ""), *WHEEL_CMAKE]).strip()
        environment = {**os.environ, "CMAKE_ARGS": arguments}
        run([*command, str(source)], folder / "build.log", "llama.cpp", env=environment)
        part.rename(folder / "wheel")
    found = finished_wheel(folder)
    if found is None:
        raise SetupError(f"The build left no wheel in {folder / 'wheel'}.")
    return found


def _source(folder: Path, python: Path) -> Path:
    """The unpacked source tree of the engine's package."""
    source = folder / "src"
    if source.is_dir():
        return source
    name, version = requirement()
    say(f"Fetching the source of {name} {version} ...")
    part = folder / "src.part"
    shutil.rmtree(part, ignore_errors=True)
    command = [str(python), "-m", "pip", "download", "--disable-pip-version-check", "--no-deps"]
    command += ["--no-binary", name, f"{name}=={version}", "-d", str(part)]
    run(command, folder / "build.log", "source")
    (archive,) = part.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        if hasattr(tarfile, "data_filter"):
            tar.extractall(part / "unpacked", filter="data")
        else:
            tar.extractall(part / "unpacked")
    (unpacked,) = (part / "unpacked").iterdir()
    unpacked.rename(source)
    shutil.rmtree(part)
    return source


def tools(python: Path) -> Path:
    """The folder of llama.cpp's tools, built from the tree and with the flags of the wheel.

    Raises:
        SetupError: as `wheel`, or CMake failed.
    """
    folder = home()
    done = folder / "bin"
    if done.is_dir():
        return done
    # The tools' settings stay in the build folder, so the wheel comes first.
    wheel(python)
    with alone(folder):
        if done.is_dir():
            return done
        source = _source(folder, python)
        build = folder / "build"
        say(
            f"Compiling llama.cpp's tools ({', '.join(TOOLS)}): about "
            f"{_minutes(TOOLS_CORE_MINUTES)} minutes on {os.cpu_count()} cores, once per machine."
        )
        log = folder / "build.log"
        cmake = _program("cmake", python)
        configure = [cmake, "-S", str(source), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release"]
        if not (build / "build.ninja").is_file() and not (build / "Makefile").is_file():
            configure += ["-G", "Ninja"]
        if not (build / "Makefile").is_file():
            configure += [f"-DCMAKE_MAKE_PROGRAM={_program('ninja', python)}"]
        run([*configure, *WHEEL_CMAKE[:1], *TOOLS_CMAKE], log, "configure")
        jobs = str(os.cpu_count() or 1)
        run([cmake, "--build", str(build), "--parallel", jobs, "--target", *TOOLS], log, "tools")
        part = folder / "bin.part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        suffix = ".exe" if sys.platform == "win32" else ""
        for made in (build / "bin").iterdir():
            if (
                made.name in {tool + suffix for tool in TOOLS}
                or made.suffix in {".dll", ".dylib"}
                or ".so" in made.suffixes
            ):
                shutil.copy2(made, part / made.name, follow_symlinks=False)
        part.rename(done)
    return done


def where(name: str) -> Path:
    """The path of a tool that was built on this machine.

    Raises:
        SetupError: it was not.
    """
    path = home() / "bin" / (name + (".exe" if sys.platform == "win32" else ""))
    if not path.is_file():
        message = f"{name} was not built on this machine: run 'make tools'."
        raise SetupError(message)
    return path


def _program(name: str, python: Path) -> str:
    """A build program: the machine's own, or one from a package in the virtual environment."""
    beside = python.parent
    found = shutil.which(name) or shutil.which(name, path=str(beside))
    if found:
        return found
    say(f"There is no {name} on this machine: installing one into {beside.parent} ...")
    subprocess.run([str(python), "-m", "pip", "install", "-q", name], check=False)
    found = shutil.which(name, path=str(beside))
    if not found:
        raise SetupError(f"{name} is missing: install it and run this again.")
    return found


def venv_python() -> Path:
    """The interpreter of the virtual environment; it need not exist yet."""
    return VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def main(arguments: list[str]) -> int:
    """Do what the command line asks for."""
    try:
        match arguments:
            case ["wheel"]:
                print(wheel(venv_python()))
            case ["tools"]:
                print(tools(venv_python()))
            case ["where", name]:
                print(where(name))
            case _:
                print(__doc__)
                return 2
    except SetupError as error:
        print(error, file=sys.stderr)
        return 4
    except KeyboardInterrupt:
        print("Stopped; the next run goes on from here.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
