"""An Ollama that is given files: a model of each, and nothing left of it, come what may."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from simulator.script import Script
from simulator.server import Simulator
from simulator.world import SimModel, World
from support.ports import nobody_listens
from tokenroof.calibrate.design import BASE
from tokenroof.calibrate.writer import write_model
from tokenroof.engines.base import Request
from tokenroof.engines.ollama_files import PREFIX, Made, Notes, OllamaOfFiles, remove_left
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import EngineMissing, EngineRefused
from tokenroof.records import Settings

SETTINGS = Settings(context=256, threads=2, ubatch=512)
SMALL = replace(BASE, layers=1, width=256, feed_forward=256, heads=2, kv_heads=1)
THEIRS = PREFIX + "0123456789abcdef"
"""As a name of ours looks, and not noted."""


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator(World(models=[SimModel(), SimModel(name=f"{THEIRS}:latest")])) as running:
        yield running


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "notes.json")


@pytest.fixture
def engine(simulator: Simulator, notes: Notes) -> OllamaOfFiles:
    return OllamaOfFiles(notes, EngineOptions(url=simulator.url))


@pytest.fixture
def model(tmp_path: Path) -> Callable[[str], Path]:
    def write(name: str) -> Path:
        path = tmp_path / f"{name}.gguf"
        write_model(replace(SMALL, name=name), path)
        return path

    return write


def made(simulator: Simulator) -> list[str]:
    """The models beside those that were there."""
    return [each.name for each in simulator.world.models[2:]]


def test_a_file_is_a_model_while_it_runs_and_nothing_afterwards(
    simulator: Simulator, engine: OllamaOfFiles, notes: Notes, model: Callable[[str], Path],
    tmp_path: Path,
) -> None:  # fmt: skip
    path = model("one")
    loaded = engine.load(path, SETTINGS)
    assert loaded.settings.context == 256
    (name,) = made(simulator)
    assert name.startswith(PREFIX)
    assert [f"{each.name}:latest" for each in notes.all()] == [name]
    assert [*simulator.world.blobs.values()] == [path.read_bytes()]
    (asked,) = simulator.asked("/api/create")
    assert asked.body["template"] == "{{ .Prompt }}"
    assert engine.identify().place == "cpu"
    reply = engine.run(Request(prompt="abc", output_tokens=4))
    assert reply.output_tokens == 4
    engine.close()
    assert made(simulator) == []
    assert not simulator.world.blobs
    assert not simulator.world.loaded
    assert not (tmp_path / "notes.json").exists()
    assert engine.left_bytes == 0


def test_there_is_one_model_at_a_time(
    simulator: Simulator, engine: OllamaOfFiles, model: Callable[[str], Path]
) -> None:
    engine.load(model("one"), SETTINGS)
    (first,) = made(simulator)
    engine.load(model("two"), SETTINGS)
    (second,) = made(simulator)
    assert first != second
    assert [*simulator.world.loaded] == [second]
    assert len(simulator.world.blobs) == 1
    engine.close()
    engine.close()
    assert made(simulator) == []


def test_data_that_is_there_is_not_sent_again(
    simulator: Simulator, engine: OllamaOfFiles, model: Callable[[str], Path]
) -> None:
    path = model("one")
    engine.load(path, SETTINGS)
    (digest,) = simulator.world.blobs
    # Another model of the same data, as somebody else may have made.
    simulator.world.models.append(SimModel(name="other:latest", digest=digest.partition(":")[2]))
    engine.load(path, SETTINGS)
    assert [each.method for each in simulator.exchanges if "blobs" in each.path].count("POST") == 1
    engine.close()
    assert [*simulator.world.blobs] == [digest]
    assert engine.left_bytes == path.stat().st_size  # sent by us, and kept because of the other


def test_what_ollama_keeps_of_a_copy_that_is_not_the_same_is_counted(
    simulator: Simulator, engine: OllamaOfFiles, model: Callable[[str], Path]
) -> None:
    simulator.world.copies_changed = True
    one, two = model("one"), model("two")
    engine.load(one, SETTINGS)
    engine.load(two, SETTINGS)
    engine.close()
    assert engine.left_bytes == one.stat().st_size + two.stat().st_size
    assert made(simulator) == []


def test_a_file_that_ollama_makes_no_model_of_is_refused_with_its_reason(
    simulator: Simulator, engine: OllamaOfFiles, notes: Notes, model: Callable[[str], Path]
) -> None:
    simulator.world.scripts.append(
        Script(status=500, body=b'{"error": "failed to validate GGUF: unknown type"}')
    )
    with pytest.raises(EngineRefused, match="unknown type"):
        engine.load(model("one"), SETTINGS)
    engine.close()
    assert notes.all() == ()


def test_a_version_that_makes_models_in_another_way_is_refused(
    simulator: Simulator, engine: OllamaOfFiles, model: Callable[[str], Path]
) -> None:
    simulator.world.scripts.append(
        Script(status=400, body=b"{\"error\": \"neither 'from' or 'files' was specified\"}")
    )
    with pytest.raises(EngineRefused, match="neither"):
        engine.load(model("one"), SETTINGS)


def test_what_a_kill_left_is_removed_and_nothing_else(
    simulator: Simulator, engine: OllamaOfFiles, notes: Notes, model: Callable[[str], Path]
) -> None:
    engine.load(model("one"), SETTINGS)  # and now the process is killed
    assert len(made(simulator)) == 1
    assert remove_left(notes) == 1
    assert [each.name for each in simulator.world.models] == ["sim:latest", f"{THEIRS}:latest"]
    assert simulator.world.loaded == {}
    assert notes.all() == ()
    assert remove_left(notes) == 0


@pytest.mark.parametrize(
    "note",
    [
        b'[{"url": "%s", "name": "sim"}]',
        b'[{"url": "%s", "name": "sim:latest"}]',
        b'[{"url": "%s", "name": "tokenroof-calibrate-"}]',
        b'[{"url": "%s", "name": "tokenroof-calibrate-0123456789abcdef/../sim"}]',
        b"[" * 100_000,
        b"\xff",
        b"",
    ],
)
def test_notes_that_were_not_written_here_remove_nothing(
    simulator: Simulator, tmp_path: Path, note: bytes
) -> None:
    path = tmp_path / "notes.json"
    path.write_bytes(note.replace(b"%s", simulator.url.encode()))
    assert remove_left(Notes(path)) == 0
    assert len(simulator.world.models) == 2
    assert simulator.exchanges == []


def test_an_ollama_that_does_not_answer_leaves_the_note_for_later(
    notes: Notes,
) -> None:
    with nobody_listens() as port:
        gone = Made(url=f"http://127.0.0.1:{port}", name=THEIRS)
        notes.add(gone)
        assert remove_left(notes) == 0
    assert notes.all() == (gone,)


def test_a_model_that_was_being_made_as_we_left_is_removed_all_the_same(
    simulator: Simulator, engine: OllamaOfFiles, notes: Notes, model: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    path = model("one")
    # The answer never comes: Ollama goes on when we hang up, and makes the model.
    simulator.world.scripts.append(Script(stall_after=0))
    post = engine._client.post

    def interrupted(*given: object) -> object:
        with pytest.raises(Exception, match="0"):
            post("/api/create", given[1], 0.2)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(engine._client, "post", interrupted)
    with pytest.raises(KeyboardInterrupt):
        engine.load(path, SETTINGS)
    monkeypatch.setattr(engine._client, "post", post)
    engine.close()
    assert made(simulator) == []
    assert notes.all() == ()


def test_a_model_that_is_not_there_yet_stays_noted(
    simulator: Simulator, notes: Notes, model: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    engine = OllamaOfFiles(notes, EngineOptions(url=simulator.url), patience_seconds=0.05)

    def interrupted(*_: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(engine._client, "post", interrupted)
    with pytest.raises(KeyboardInterrupt):
        engine.load(model("one"), SETTINGS)
    engine.close()
    assert len(notes.all()) == 1


def test_no_ollama_is_one_sentence(notes: Notes, model: Callable[[str], Path]) -> None:
    with nobody_listens() as port:
        engine = OllamaOfFiles(notes, EngineOptions(url=f"http://127.0.0.1:{port}"))
        with pytest.raises(EngineMissing, match="ollama serve"):
            engine.load(model("one"), SETTINGS)
        engine.close()
    assert notes.all() == ()


@pytest.mark.parametrize(
    ("url", "local"),
    [("127.0.0.1:1", True), ("http://localhost:1", True), ("0.0.0.0", True), ("10.1.2.3", False)],
)
def test_whether_it_is_on_this_machine(notes: Notes, url: str, local: bool) -> None:
    assert OllamaOfFiles(notes, EngineOptions(url=url)).is_local is local


def test_a_note_is_what_can_be_read_back(notes: Notes, tmp_path: Path) -> None:
    one, two = (Made(url="http://127.0.0.1:1", name=PREFIX + digit * 16) for digit in "ab")
    notes.add(one)
    notes.add(two)
    assert notes.all() == (one, two)
    written = msgspec.json.decode((tmp_path / "notes.json").read_bytes())
    assert [each["name"] for each in written] == [one.name, two.name]
    notes.remove(one)
    assert notes.all() == (two,)
