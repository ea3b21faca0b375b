"""Where each program keeps its models, by the rules of each kind of system.

Sources: Ollama's FAQ and envconfig/config.go, its install script; Hugging Face's page "Hub local
cache"; llama.cpp's common/hf-cache.cpp and common.cpp; LM Studio's page on importing models.
"""

from __future__ import annotations

import json
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest

from support.gguf_files import write_gguf
from tokenroof.errors import AmbiguousName, NotFound
from tokenroof.library import hub_cache, llamacpp, lmstudio, locate, ollama, system as systems
from tokenroof.library.installed import installed
from tokenroof.library.system import Kind, System


def linux(**environment: str) -> System:
    return System("linux", environment, PurePosixPath("/home/me"))


def macos(**environment: str) -> System:
    return System("macos", environment, PurePosixPath("/Users/me"))


def windows(**environment: str) -> System:
    return System("windows", environment, PureWindowsPath(r"C:\Users\me"))


@pytest.mark.parametrize(
    ("system", "first"),
    [
        (linux(), "/home/me/.ollama/models"),
        (macos(), "/Users/me/.ollama/models"),
        (windows(), r"C:\Users\me\.ollama\models"),
        (linux(OLLAMA_MODELS="/data/m"), "/data/m"),
        (windows(OLLAMA_MODELS=r"D:\m"), r"D:\m"),
        (windows(OLLAMA_MODELS=r"\\nas\share\m"), r"\\nas\share\m"),
    ],
)
def test_ollamas_own_store(system: System, first: str) -> None:
    assert str(ollama.folders(system)[0]) == first


def test_ollamas_service_has_a_store_on_linux_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the other tests hide it
    service = "/usr/share/ollama/.ollama/models"
    assert service in map(str, ollama.folders(linux()))
    assert service in map(str, ollama.folders(linux(OLLAMA_MODELS="/data/m")))
    assert len(ollama.folders(macos())) == len(ollama.folders(windows())) == 1


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (linux(), ["/home/me/.cache/huggingface/hub"]),
        (macos(), ["/Users/me/.cache/huggingface/hub"]),
        (windows(), [r"C:\Users\me\.cache\huggingface\hub"]),
        (linux(XDG_CACHE_HOME="/x"), ["/x/huggingface/hub"]),
        (linux(HF_HOME="~/hf"), ["/home/me/hf/hub", "/home/me/.cache/huggingface/hub"]),
        (windows(HF_HUB_CACHE=r"D:\h"), [r"D:\h", r"C:\Users\me\.cache\huggingface\hub"]),
        (
            linux(LLAMA_CACHE="/l", HF_HUB_CACHE="/h"),
            ["/l", "/h", "/home/me/.cache/huggingface/hub"],
        ),
    ],
)
def test_the_hubs_caches_in_their_order(system: System, expected: list[str]) -> None:
    assert [str(folder) for folder in hub_cache.cache_folders(system)] == expected


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (linux(), "/home/me/.cache/llama.cpp"),
        (linux(XDG_CACHE_HOME="/x"), "/x/llama.cpp"),
        (macos(), "/Users/me/Library/Caches/llama.cpp"),
        (windows(), r"C:\Users\me\AppData\Local\llama.cpp"),
        (windows(LOCALAPPDATA=r"D:\local"), r"D:\local\llama.cpp"),
        (macos(LLAMA_CACHE="/l"), "/l"),
    ],
)
def test_the_flat_cache_of_llama_cpp(system: System, expected: str) -> None:
    assert [str(folder) for folder in llamacpp.folders(system)] == [expected]


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (linux(), ["/home/me/.lmstudio/models", "/home/me/.cache/lm-studio/models"]),
        (macos(), ["/Users/me/.lmstudio/models", "/Users/me/.cache/lm-studio/models"]),
        (
            windows(),
            [r"C:\Users\me\.lmstudio\models", r"C:\Users\me\.cache\lm-studio\models"],
        ),
    ],
)
def test_lm_studios_folders(system: System, expected: list[str]) -> None:
    assert [str(folder) for folder in lmstudio.folders(system)] == expected


@pytest.mark.parametrize(
    ("platform", "kind"),
    [("linux", "linux"), ("darwin", "macos"), ("win32", "windows"), ("freebsd14", "linux")],
)
def test_a_platform_goes_by_the_rules_of_its_kind(platform: str, kind: Kind) -> None:
    assert systems._kind(platform) == kind


def test_this_computer_has_a_home() -> None:
    assert systems.here().home == PurePath(Path.home())


def test_a_variable_is_read_without_spaces_and_quotes() -> None:
    system = linux(A=' "/data/m" ', B="''", C="")
    assert system.variable("A") == "/data/m"
    assert system.variable("B") is system.variable("C") is system.variable("D") is None


# --- LM Studio ---------------------------------------------------------------------------------


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {"general.architecture": "llama", "general.name": path.stem}
    return write_gguf(path, metadata, [("a", (32,), "F32")])


@pytest.fixture
def studio(system: System) -> Path:
    models = Path(system.home, ".lmstudio", "models")
    put(models / "lmstudio-community" / "Qwen3-8B-GGUF" / "Qwen3-8B-Q4_K_M.gguf")
    put(models / "google" / "gemma-3-4b" / "gemma-3-4b-Q4_0.gguf")
    put(models / "google" / "gemma-3-4b" / "mmproj-model-f16.gguf")
    return models


@pytest.mark.parametrize(
    "name",
    [
        "lmstudio-community/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf",
        "lmstudio-community/Qwen3-8B-GGUF",
        "Qwen3-8B-GGUF",
        "qwen3-8b-q4_k_m",
        "Qwen3-8B-Q4_K_M.gguf",
    ],
)
def test_the_end_of_its_path_names_a_model_of_lm_studio(studio: Path, name: str) -> None:
    found = locate(f"lmstudio:{name}")
    assert found.name == "lmstudio:lmstudio-community/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf"
    assert found.header().text("general.name") == "Qwen3-8B-Q4_K_M"


def test_a_projector_of_lm_studio_is_only_meant_by_its_own_name(studio: Path) -> None:
    assert locate("lmstudio:gemma-3-4b").name.endswith("/gemma-3-4b-Q4_0.gguf")
    assert locate("lmstudio:mmproj-model-f16").name.endswith("/mmproj-model-f16.gguf")


def test_a_name_that_several_models_of_lm_studio_bear_is_ambiguous(studio: Path) -> None:
    put(studio / "other" / "Qwen3-8B-GGUF" / "Qwen3-8B-Q8_0.gguf")
    with pytest.raises(AmbiguousName) as caught:
        locate("lmstudio:Qwen3-8B-GGUF")
    assert "other/Qwen3-8B-GGUF/Qwen3-8B-Q8_0.gguf" in str(caught.value)


def test_an_unknown_name_of_lm_studio_is_answered_with_the_closest(studio: Path) -> None:
    with pytest.raises(NotFound) as caught:
        locate("lmstudio:qwen3-8b-q5")
    assert "lmstudio:lmstudio-community/Qwen3-8B-GGUF" in str(caught.value)


def test_the_beginning_of_a_files_name_is_answered_with_the_file(studio: Path) -> None:
    with pytest.raises(NotFound) as caught:
        locate("lmstudio:Qwen3")
    name = "lmstudio:lmstudio-community/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf"
    assert str(caught.value.values["closest"]).split(", ")[0] == name


@pytest.mark.parametrize("name", ["", "/", "zzzzzzzz"])
def test_a_name_that_means_nothing_in_lm_studio_is_not_found(studio: Path, name: str) -> None:
    with pytest.raises(NotFound) as caught:
        locate(f"lmstudio:{name}")
    assert caught.value.message == "library.lmstudio_not_found"


def test_lm_studio_may_have_moved(system: System, tmp_path: Path) -> None:
    """Its pointer file names its home, its settings there the folder of the models."""
    home = Path(system.home)
    home.mkdir()
    (home / ".lmstudio-home-pointer").write_text(f"{tmp_path / 'moved'}\n")
    put(tmp_path / "moved" / "models" / "a" / "b" / "one.gguf")
    assert locate("lmstudio:one").header().text("general.name") == "one"
    settings = {"downloadsFolder": str(tmp_path / "disk"), "other": [1]}
    (tmp_path / "moved" / "settings.json").write_text(json.dumps(settings))
    put(tmp_path / "disk" / "a" / "b" / "two.gguf")
    assert locate("lmstudio:two").header().text("general.name") == "two"


@pytest.mark.parametrize("settings", ["", "{", "[]", '{"downloadsFolder": 7}', "\xff"])
def test_settings_that_cannot_be_read_are_as_none(
    studio: Path, system: System, settings: str
) -> None:
    Path(system.home, ".lmstudio", "settings.json").write_bytes(settings.encode("latin-1"))
    assert locate("lmstudio:gemma-3-4b-Q4_0").source == "lmstudio"


# --- all of them -------------------------------------------------------------------------------


def test_everything_installed_is_listed_with_its_name(
    studio: Path, system: System, tmp_path: Path
) -> None:
    hub = Path(system.home, ".cache", "huggingface", "hub", "models--me--x")
    put(hub / "snapshots" / ("a" * 40) / "sub" / "x-Q8_0.gguf")
    put(hub / "snapshots" / ("b" * 40) / "x-old.gguf")
    (hub / "refs").mkdir()
    (hub / "refs" / "main").write_text("a" * 40)
    flat = put(Path(system.home, ".cache", "llama.cpp", "me_y_y.gguf"))
    folder = tmp_path / "folder"
    for part in (1, 2):
        put(folder / "deep" / f"big-{part:05d}-of-00002.gguf")
    put(folder / "a.gguf")
    (folder / "a.txt").write_text("no model")
    found = {each.name: each.source for each in installed([folder])}
    assert found == {
        "lmstudio:google/gemma-3-4b/gemma-3-4b-Q4_0.gguf": "lmstudio",
        "lmstudio:google/gemma-3-4b/mmproj-model-f16.gguf": "lmstudio",
        "lmstudio:lmstudio-community/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf": "lmstudio",
        "hf:me/x/sub/x-Q8_0.gguf": "huggingface",
        f"hf:me/x/x-old.gguf@{'b' * 40}": "huggingface",
        str(flat): "llama.cpp",
        str(folder / "a.gguf"): "path",
        str(folder / "deep" / "big-00001-of-00002.gguf"): "path",
    }
    for name in found:
        assert locate(name).header().text("general.architecture") == "llama" or "big" in name


def test_links_in_a_circle_end_the_search(tmp_path: Path) -> None:
    put(tmp_path / "a" / "m.gguf")
    (tmp_path / "a" / "again").symlink_to(tmp_path)
    assert [each.path for each in installed([tmp_path])] == [tmp_path / "a" / "m.gguf"]


def test_a_name_near_to_an_installed_one_is_answered_with_it(studio: Path) -> None:
    with pytest.raises(NotFound) as caught:
        locate("gemma-3-4b-Q4_1.gguf")
    assert "lmstudio:google/gemma-3-4b/gemma-3-4b-Q4_0.gguf" in str(caught.value)
