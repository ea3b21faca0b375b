"""Every model of a machine is one row with its own figures, read once and remembered."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path, PurePath

import pytest

from support.gguf_files import Value, gguf_builder, write_gguf, write_split_gguf
from tokenroof.hardware.device import given_device
from tokenroof.hardware.device_text import named_device
from tokenroof.inventory import Listing, ModelRow, describe, list_models, listing as lister
from tokenroof.inventory.cache import RowCache, cache_folder
from tokenroof.library import ollama
from tokenroof.library.system import System
from tokenroof.model import build_model
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case
from tokenroof.recipes import recipe

EMBED, FFN, HEADS, LENGTH, VOCABULARY = 256, 512, 4, 64, 1024


def llama(name: str = "Tiny", blocks: int = 1) -> dict[str, Value]:
    return {
        "general.architecture": "llama",
        "general.name": name,
        "general.file_type": 15,
        "llama.block_count": blocks,
        "llama.context_length": 2048,
        "llama.embedding_length": EMBED,
        "llama.feed_forward_length": FFN,
        "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": HEADS,
        "llama.vocab_size": VOCABULARY,
    }


TENSORS = [
    ("token_embd.weight", (EMBED, VOCABULARY), "Q4_K"),
    ("output.weight", (EMBED, VOCABULARY), "Q6_K"),
    ("output_norm.weight", (EMBED,), "F32"),
    ("blk.0.attn_norm.weight", (EMBED,), "F32"),
    ("blk.0.attn_q.weight", (EMBED, EMBED), "Q4_K"),
    ("blk.0.attn_k.weight", (EMBED, EMBED), "Q4_K"),
    ("blk.0.attn_v.weight", (EMBED, EMBED), "Q6_K"),
    ("blk.0.attn_output.weight", (EMBED, EMBED), "Q4_K"),
    ("blk.0.ffn_norm.weight", (EMBED,), "F32"),
    ("blk.0.ffn_gate.weight", (EMBED, FFN), "Q4_K"),
    ("blk.0.ffn_up.weight", (EMBED, FFN), "Q4_K"),
    ("blk.0.ffn_down.weight", (FFN, EMBED), "Q6_K"),
]

# A block of 256 weights takes 144 bytes in Q4_K and 210 in Q6_K (ggml-common.h).
Q4_K_BYTES = (VOCABULARY + 3 * 256 + 2 * FFN) * 144
Q6_K_BYTES = (VOCABULARY + 256 + 2 * 256) * 210
F32_BYTES = 3 * EMBED * 4
ALL_BYTES = Q4_K_BYTES + Q6_K_BYTES + F32_BYTES
# Of the input embedding one row is looked up, all else is read.
READ_BYTES = ALL_BYTES - VOCABULARY * 144 + 144
PARAMETERS = 2 * VOCABULARY * 256 + 4 * 256 * 256 + 3 * FFN * 256 + 3 * 256


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.setattr(ollama, "_SERVICE_STORES", ())
    monkeypatch.setenv("TOKENROOF_CACHE", str(tmp_path / "cache"))
    return System("linux", {}, PurePath(tmp_path / "home"))


@pytest.fixture
def listed(system: System) -> Callable[..., Listing]:
    def run(*folders: Path, **options: object) -> Listing:
        return list_models(folders, system=system, **options)  # type: ignore[arg-type]

    return run


List = Callable[..., Listing]


def only(listing: Listing) -> ModelRow:
    (row,) = listing.models
    return row


# --- figures -----------------------------------------------------------------------------------


def test_a_row_tells_what_the_file_really_holds(tmp_path: Path, listed: List) -> None:
    (tmp_path / "models").mkdir()
    path = write_gguf(tmp_path / "models" / "tiny-F16.gguf", llama(), TENSORS)
    row = only(listed(tmp_path / "models"))
    assert row.name == row.path == str(path)
    assert (row.source, row.role, row.parts) == ("path", "model", 1)
    assert (row.title, row.architecture, row.file_type) == ("Tiny", "llama", "Q4_K_M")
    assert [(t.type, t.bytes) for t in row.types] == [
        ("Q4_K", Q4_K_BYTES),
        ("Q6_K", Q6_K_BYTES),
        ("F32", F32_BYTES),
    ]
    assert row.file_bytes == path.stat().st_size
    assert row.tensor_bytes == ALL_BYTES
    assert row.parameters == PARAMETERS
    assert row.bits_per_weight == round(8 * ALL_BYTES / PARAMETERS, 2)
    assert row.weight_bytes == row.read_bytes == READ_BYTES
    # keys and values of 4 heads x 64 in f16
    assert row.kv_bytes_per_token == 2 * HEADS * LENGTH * 2
    # it was trained for 2,048 tokens, which is less than 4,096
    # beside it the engine's own buffers: a few MB for a model of this size
    assert row.resident_bytes is not None
    assert 0 < row.resident_bytes - (ALL_BYTES + 2048 * 1024) < 16 * 2**20
    assert row.missing_bytes == 0
    assert row.reason is None


def test_a_bandwidth_gives_ceilings_and_a_memory_verdicts(tmp_path: Path, listed: List) -> None:
    write_gguf(tmp_path / "a.gguf", llama(), TENSORS)
    assert only(listed(tmp_path)).ceiling_tokens_per_s is None
    row = only(listed(tmp_path, device=given_device(100)))
    assert row.ceiling_tokens_per_s == pytest.approx(100e9 / READ_BYTES, rel=1e-4)
    assert row.verdict == "unknown"
    for memory, verdict in ((0.001, "does_not_fit"), (1, "tight"), (24, "fits")):
        assert only(listed(tmp_path, device=given_device(100, memory))).verdict == verdict


def test_a_split_set_is_one_row_of_all_its_parts(tmp_path: Path, listed: List) -> None:
    write_split_gguf(tmp_path, "big", llama(), [TENSORS[:5], TENSORS[5:]])
    row = only(listed(tmp_path))
    assert row.name.endswith("big-00001-of-00002.gguf")
    assert (row.parts, row.tensor_bytes, row.weight_bytes) == (2, ALL_BYTES, READ_BYTES)


def test_a_download_that_is_not_finished_says_how_much_is_missing(
    tmp_path: Path, listed: List
) -> None:
    builder = gguf_builder(llama(), TENSORS)
    builder.write(tmp_path / "a.gguf", present_bytes=len(builder.header()) + 1000)
    row = only(listed(tmp_path))
    # tensors are a multiple of 32 bytes each, so nothing is padded after the last one
    assert row.missing_bytes == ALL_BYTES - 1000
    assert row.weight_bytes == READ_BYTES


@pytest.mark.parametrize(
    ("metadata", "role"),
    [
        ({"general.architecture": "clip"}, "projector"),
        ({"general.architecture": "clip", "general.type": "mmproj"}, "projector"),
        ({"general.architecture": "llama", "general.type": "adapter"}, "adapter"),
        ({"general.type": "imatrix"}, "other"),
    ],
)
def test_a_file_that_only_goes_with_a_model_has_no_figures_of_one(
    tmp_path: Path, listed: List, metadata: dict[str, Value], role: str
) -> None:
    write_gguf(tmp_path / "x.gguf", metadata, [("v.blk.0.weight", (32, 32), "F16")])
    row = only(listed(tmp_path))
    assert row.role == role
    assert row.tensor_bytes == 2048
    assert row.read_bytes is row.kv_bytes_per_token is None


# --- what cannot be read -----------------------------------------------------------------------


def test_a_damaged_file_is_a_row_with_its_reason(tmp_path: Path, listed: List) -> None:
    write_gguf(tmp_path / "good.gguf", llama(), TENSORS)
    (tmp_path / "empty.gguf").touch()
    (tmp_path / "page.gguf").write_bytes(b"<!DOCTYPE html>" + bytes(100))
    (tmp_path / "cut.gguf").write_bytes(gguf_builder(llama(), TENSORS).header()[:100])
    write_split_gguf(tmp_path, "big", llama(), [TENSORS[:5], TENSORS[5:]])[0].unlink()
    write_gguf(tmp_path / "odd.gguf", {"general.architecture": 7}, TENSORS)
    (tmp_path / "gone.gguf").symlink_to(tmp_path / "nowhere")
    rows = {Path(row.name).stem: row for row in listed(tmp_path).models}
    reasons = {name: row.reason and row.reason.message for name, row in rows.items()}
    assert reasons.pop("good") is None
    assert reasons == {
        "cut": "gguf.count_too_large",
        "empty": "gguf.empty",
        "page": "gguf.is_web_page",
        "big-00002-of-00002": "gguf.part_missing",
        "odd": "gguf.wrong_type",
        "gone": "gguf.not_found",
    }
    assert rows["empty"].file_bytes is None


def test_a_model_that_contradicts_itself_keeps_what_its_file_tells(
    tmp_path: Path, listed: List
) -> None:
    broken = llama(blocks=100_000)
    write_gguf(tmp_path / "a.gguf", broken, TENSORS)
    row = only(listed(tmp_path))
    assert row.reason is not None
    assert row.tensor_bytes == ALL_BYTES
    assert row.read_bytes is None


def test_a_hostile_name_is_written_with_escapes(tmp_path: Path, listed: List) -> None:
    write_gguf(tmp_path / "a.gguf", llama("evil\x1b[31m\u202e"), TENSORS)
    write_gguf(tmp_path / "b\udcff.gguf", llama(), TENSORS)
    document = json.dumps(listed(tmp_path).to_dict(), ensure_ascii=False)
    assert not {"\x1b", "\u202e", "\udcff"} & set(document)
    assert "b\\\\udcff.gguf" in document


# --- one file, one row -------------------------------------------------------------------------


def test_links_to_one_file_are_one_row_with_all_its_names(tmp_path: Path, listed: List) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    path = write_gguf(folder / "a.gguf", llama(), TENSORS)
    os.link(path, folder / "b.gguf")
    (folder / "c.gguf").symlink_to(path)
    row = only(listed(folder))
    assert row.name == str(path)
    assert row.names == (str(folder / "b.gguf"), str(folder / "c.gguf"))


def test_a_folder_given_twice_is_listed_once(tmp_path: Path, listed: List) -> None:
    write_gguf(tmp_path / "a.gguf", llama(), TENSORS)
    row = only(listed(tmp_path, tmp_path, tmp_path / "."))
    assert row.names == ()


def test_two_tags_of_one_blob_are_one_row(tmp_path: Path, listed: List, system: System) -> None:
    store = Path(system.home, ".ollama", "models")
    blob = "0" * 64
    (store / "blobs").mkdir(parents=True)
    write_gguf(store / "blobs" / f"sha256-{blob}", llama(), TENSORS)
    kind = "application/vnd.ollama.image.model"
    manifest = json.dumps({"layers": [{"mediaType": kind, "digest": f"sha256:{blob}"}]})
    for tag in ("8b", "latest"):
        path = store / "manifests" / "registry.ollama.ai" / "library" / "qwen3" / tag
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(manifest)
    row = only(listed())
    assert (row.name, row.names) == ("ollama:qwen3:8b", ("ollama:qwen3:latest",))
    assert row.source == "ollama"


def test_what_goes_with_one_name_is_not_said_of_the_others(listed: List, system: System) -> None:
    """Three tags of one blob: a plain one, one with a projector, one with an adapter."""
    store = Path(system.home, ".ollama", "models")
    (store / "blobs").mkdir(parents=True)
    write_gguf(store / "blobs" / f"sha256-{'0' * 64}", llama(), TENSORS)
    (store / "blobs" / f"sha256-{'1' * 64}").write_bytes(bytes(7))
    for tag, kinds in (("a", ()), ("b", ("projector",)), ("c", ("adapter",))):
        layers = [("model", "0"), *((kind, "1") for kind in kinds)]
        path = store / "manifests" / "registry.ollama.ai" / "library" / "m" / tag
        path.parent.mkdir(parents=True, exist_ok=True)
        entries = [
            {"mediaType": f"application/vnd.ollama.image.{kind}", "digest": f"sha256:{digit * 64}"}
            for kind, digit in layers
        ]
        path.write_text(json.dumps({"layers": entries}))
    row = only(listed())
    assert [(each.name, each.kind, each.bytes) for each in row.companions] == [
        ("ollama:m:b", "projector", 7),
        ("ollama:m:c", "adapter", 7),
    ]


# --- the cache ---------------------------------------------------------------------------------


class Reads:
    """Counts which files are read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: list[str] = []
        read = describe.described

        def counted(found):  # type: ignore[no-untyped-def]
            self.names.append(Path(found.path).name if found.path else found.name)
            return read(found)

        monkeypatch.setattr(lister, "described", counted)

    def taken(self) -> list[str]:
        names, self.names = self.names, []
        return names


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    return Reads(monkeypatch)


def test_a_file_is_read_once_until_it_changes(tmp_path: Path, listed: List, reads: Reads) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    for name in ("a", "b"):
        write_gguf(folder / f"{name}.gguf", llama(name), TENSORS)
    first = listed(folder)
    assert reads.taken() == ["a.gguf", "b.gguf"]
    assert listed(folder) == first
    assert reads.taken() == []
    write_gguf(folder / "a.gguf", llama("changed"), TENSORS)
    assert listed(folder).models[0].title == "changed"
    assert reads.taken() == ["a.gguf"]


def test_one_relative_path_in_two_folders_means_two_files(
    tmp_path: Path, listed: List, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one size and time, as files of one archive are."""
    for name in ("one", "two"):
        (tmp_path / name / "models").mkdir(parents=True)
        path = write_gguf(tmp_path / name / "models" / "m.gguf", llama(name), TENSORS)
        os.utime(path, ns=(10**18, 10**18))
        monkeypatch.chdir(tmp_path / name)
        assert only(listed(Path("models"))).title == name


def test_a_new_time_alone_makes_a_file_be_read_again(
    tmp_path: Path, listed: List, reads: Reads
) -> None:
    path = write_gguf(tmp_path / "a.gguf", llama(), TENSORS)
    listed(tmp_path)
    os.utime(path, ns=(1, 1))
    listed(tmp_path)
    assert reads.taken() == ["a.gguf", "a.gguf"]


def test_a_changed_part_makes_the_whole_set_be_read_again(
    tmp_path: Path, listed: List, reads: Reads
) -> None:
    parts = write_split_gguf(tmp_path, "big", llama(), [TENSORS[:5], TENSORS[5:]])
    listed(tmp_path)
    parts[1].unlink()
    assert only(listed(tmp_path)).reason is not None
    assert len(reads.taken()) == 2


def test_a_damaged_file_is_looked_at_each_time(tmp_path: Path, listed: List, reads: Reads) -> None:
    """It may be a download that is under way, or a disk that was away for a moment."""
    (tmp_path / "a.gguf").touch()
    listed(tmp_path)
    listed(tmp_path)
    assert reads.taken() == ["a.gguf", "a.gguf"]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff", b'{"format": 1}', b"[" * 100_000, b'{"entries": {"a": 1}}'],
    ids=lambda content: repr(content[:20]),
)
def test_a_cache_that_cannot_be_read_is_as_none(
    tmp_path: Path, listed: List, content: bytes
) -> None:
    path = cache_folder() / "models.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    write_gguf(tmp_path / "a.gguf", llama(), TENSORS)
    assert only(listed(tmp_path)).weight_bytes == READ_BYTES
    assert RowCache(path).get(tmp_path / "a.gguf") is not None  # and it was made anew


def test_a_cache_of_another_version_is_as_none(tmp_path: Path, listed: List, reads: Reads) -> None:
    write_gguf(tmp_path / "a.gguf", llama(), TENSORS)
    listed(tmp_path)
    path = cache_folder() / "models.json"
    content = json.loads(path.read_bytes())
    content["version"] = "0.0.1"
    path.write_text(json.dumps(content))
    listed(tmp_path)
    assert reads.taken() == ["a.gguf", "a.gguf"]


def test_a_cache_that_cannot_be_written_is_no_error(
    tmp_path: Path, listed: List, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TOKENROOF_CACHE", str(tmp_path / "file" / "below"))
    write_gguf(tmp_path / "a.gguf", llama(), TENSORS)
    assert only(listed(tmp_path)).weight_bytes == READ_BYTES


def test_what_has_gone_is_forgotten(tmp_path: Path, listed: List) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    for name in ("a", "b"):
        write_gguf(folder / f"{name}.gguf", llama(name), TENSORS)
    listed(folder)
    (folder / "a.gguf").unlink()
    write_gguf(folder / "c.gguf", llama("c"), TENSORS)
    listed(folder)
    entries = json.loads((cache_folder() / "models.json").read_bytes())["entries"]
    assert [Path(key.strip("'")).name for key in entries] == ["b.gguf", "c.gguf"]


def test_a_cached_row_keeps_its_reason_with_its_figures(
    tmp_path: Path, listed: List, reads: Reads
) -> None:
    write_gguf(tmp_path / "a.gguf", llama(blocks=100_000), TENSORS)
    first, second = only(listed(tmp_path)), only(listed(tmp_path))
    assert reads.taken() == ["a.gguf"]
    assert first.reason is not None
    assert second.reason is not None
    assert second.reason.text() == first.reason.text()
    assert second.reason.text("ja") == first.reason.text("ja")


def test_progress_counts_only_what_has_to_be_read(tmp_path: Path, listed: List) -> None:
    for name in ("a", "b", "c"):
        write_gguf(tmp_path / f"{name}.gguf", llama(name), TENSORS)
    told: list[tuple[int, int]] = []
    listed(tmp_path, progress=lambda *numbers: told.append(numbers))
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]
    told.clear()
    listed(tmp_path, progress=lambda *numbers: told.append(numbers))
    assert told == []


def test_two_hundred_known_models_need_no_header(
    tmp_path: Path, listed: List, reads: Reads
) -> None:
    data = gguf_builder(llama(), TENSORS).header()
    for number in range(200):
        (tmp_path / f"m{number:03d}.gguf").write_bytes(data)
    assert len(listed(tmp_path).models) == 200
    assert len(reads.taken()) == 200
    assert len(listed(tmp_path).models) == 200
    assert reads.taken() == []


def test_blocks_that_predict_several_tokens_ahead_are_no_resident_bytes() -> None:
    header = recipe("glm-4.5-air", "Q4_K_M")
    row = describe.of_model(
        ModelRow(name="glm", source="catalogue", path=None), build_model(header)
    )
    # 46 layers, 0 to 45; block 46 holds what plain decode never loads.
    ahead = sum(t.bytes for t in header.tensors if t.name.startswith("blk.46."))
    cache = build_model(header).kv_allocated(describe.CONTEXT_TOKENS)
    assert cache is not None
    assert ahead > 0
    assert row.resident_bytes is not None
    # Buffers of a micro-batch: 4,096 numbers wide, 8 experts of them; no logits of all tokens.
    buffers = row.resident_bytes - (header.tensor_bytes - ahead + cache)
    assert 50 * 2**20 < buffers < 400 * 2**20
    assert buffers < ahead


@pytest.mark.parametrize("device", ["RTX 3060 12 GB", "RTX 3090", "M4 Max", "EPYC 7302"])
def test_a_model_fits_in_a_list_as_it_does_in_an_estimate(device: str) -> None:
    """One estimator, whichever command asks it (B029)."""
    names = ["qwen3-8b", "gpt-oss-20b", "gemma-4-e4b", "glm-4.5-air", "llama-3.1-70b"]
    models = {name: build_model(recipe(name, "Q4_K_M")) for name in names}
    place = named_device(device, memory_gb=36) if device == "M4 Max" else named_device(device)
    rows = [
        describe.of_model(ModelRow(name=name, source="catalogue", path=None), model)
        for name, model in models.items()
    ]
    asker = Asker(models.__getitem__, lambda: place)
    memory = 36 if device == "M4 Max" else None
    answers = asker.estimate(
        Case(model=name, device=device, memory=memory, context=describe.CONTEXT_TOKENS)
        for name in names
    ).rows
    for row, answer in zip(lister.held_against(place, rows), answers, strict=True):
        assert answer.fits is not None
        assert row.verdict == answer.fits.verdict
        assert row.ceiling_tokens_per_s == pytest.approx(answer.ceiling_tokens_per_s, abs=0.006)
