"""The fit of public knowledge: it finds what made the data, and takes rows for what they are."""

from __future__ import annotations

import csv
import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"

COLUMNS = (
    "id", "source_url", "date", "engine", "engine_version", "backend", "device", "device_count",
    "model", "quant", "model_size_gib", "params_b", "test", "n_prompt", "n_gen", "depth",
    "flash_attn", "ngl", "ncmoe", "kv_type", "tokens_per_s", "stddev", "threads", "notes",
)  # fmt: skip


def tool(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOOLS))
    return importlib.import_module(name)


def table(folder: Path, *rows: dict[str, str]) -> Path:
    """A table of made-up measurements."""
    path = folder / "measurements.csv"
    usual = {
        "id": "m1",
        "engine": "llama.cpp",
        "backend": "CUDA",
        "device": "GeForce RTX 4090",
        "device_count": "1",
        "model": "Llama 3.1 8B Instruct",
        "quant": "Q4_K_M",
        "test": "tg128",
        "depth": "0",
        "ngl": "99",
        "tokens_per_s": "100",
        "notes": "[made_up]",
        "date": "2026-01-01",
    }
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        for row in rows:
            writer.writerow(usual | row)
    return path


def test_the_fit_finds_what_made_the_data_though_a_tenth_of_it_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    squares = tool("public.least_squares", monkeypatch)
    random = np.random.default_rng(1)
    size = random.uniform(1, 10, 200)
    classes = ["fast" if n % 2 else "slow" for n in range(200)]
    # Seconds are size x e^(0.5 +- 0.3), a tenth of them three times that.
    truth = 0.5 + np.array([-0.3 if each == "fast" else 0.3 for each in classes])
    seconds = size * np.exp(truth) * np.where(np.arange(200) % 10 == 0, 3.0, 1.0)
    found = squares.fit(
        squares.Problem(
            priors={"rate": squares.Prior(0.0, 2.0, {"class": 1.0})},
            levels=[{"class": each} for each in classes],
            model=lambda values: size * np.exp(values["rate"]),
            starts=np.arange(200),
            observed=np.log(seconds),
            weights=np.ones(200),
            noise=np.full(200, 0.05),
        )
    )["rate"]
    assert found.of({"class": "fast"}) == pytest.approx(0.2, abs=0.02)
    assert found.of({"class": "slow"}) == pytest.approx(0.8, abs=0.02)


def test_a_class_with_one_row_is_drawn_to_what_is_common(monkeypatch: pytest.MonkeyPatch) -> None:
    squares = tool("public.least_squares", monkeypatch)
    levels = [{"class": "many"}] * 50 + [{"class": "one"}]
    observed = np.array([0.0] * 50 + [1.0])
    found = squares.fit(
        squares.Problem(
            priors={"rate": squares.Prior(0.0, 1.0, {"class": 0.1})},
            levels=levels,
            model=lambda values: np.exp(values["rate"]),
            starts=np.arange(51),
            observed=observed,
            weights=np.ones(51),
            noise=np.full(51, 0.3),
        )
    )["rate"]
    # By hand for normal errors: 0.1^2 / (0.1^2 + 0.3^2) = a tenth of the distance; the tail, less.
    assert 0.0 < found.of({"class": "one"}) < 0.1


def test_steps_of_one_row_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    squares = tool("public.least_squares", monkeypatch)
    problem = squares.Problem(
        priors={"rate": squares.Prior(0.0, 1.0)},
        levels=[{}] * 3,
        model=lambda values: np.exp(values["rate"]) * np.array([1.0, 2.0, 5.0]),
        starts=np.array([0, 2]),
        observed=np.zeros(2),
        weights=np.ones(2),
        noise=np.ones(2),
    )
    assert np.exp(problem.expected({"rate": np.zeros(3)})).tolist() == pytest.approx([3.0, 5.0])


def test_rows_become_questions_or_say_why_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    measured = tool("public.measured", monkeypatch)
    read = measured.read_table(
        table(
            tmp_path,
            {"id": "decode"},
            {"id": "prefill", "test": "pp512", "tokens_per_s": "8000"},
            {"id": "deep", "depth": "8192"},
            {"id": "partial", "model": "Llama 3 70B", "ngl": "40"},
            {"engine": "vLLM"},
            {"notes": "[made_up] driver spills"},
            {"model": "A model that nobody knows"},
            {"test": "pp512+tg128"},
            {"model": "Llama 3 70B"},
        )
    )
    rows = {row.id: row for row in read.rows}
    assert set(rows) == {"decode", "prefill", "deep", "partial"}
    assert dict(read.left_out) == {
        "another engine": 1,
        "doubted by its publisher": 1,
        "no recipe of the model": 1,
        "a test that is neither decode nor prefill": 1,
        "does not fit": 1,
    }
    assert rows["decode"].seconds == pytest.approx(0.01)
    assert rows["prefill"].seconds == pytest.approx(512 / 8000)
    assert rows["deep"].ceiling_seconds > rows["decode"].ceiling_seconds
    assert rows["partial"].is_partial
    assert {step.place for step in rows["partial"].steps} == {"gpu", "cpu"}


def test_a_mix_has_as_many_bytes_as_its_stated_size_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    measured = tool("public.measured", monkeypatch)
    read = measured.read_table(
        table(tmp_path, {"id": "plain"}, {"quant": "UD-Q4_K_XL", "model_size_gib": "5.04"})
    )
    plain, mix = read.rows
    # Llama 3.1 8B in Q4_K_M has 4.58 GiB, so a mix of 5.04 GiB reads a tenth more.
    assert mix.ceiling_seconds / plain.ceiling_seconds == pytest.approx(1.10, abs=0.01)


@pytest.mark.parametrize(
    ("published", "model", "stored"),
    [
        (("llama 7B (Llama 2)", "Q4_0"), "llama-2-7b", ("Q4_0", True)),
        (("Qwen_Qwen3.5-9B-Q4_K_M", "Q4_K_M"), "qwen3.5-9b", ("Q4_K_M", True)),
        (("qwen3moe 30B.A3B", "UD-Q4_K_XL"), "qwen3-30b-a3b", ("Q4_K_M", False)),
        (("gpt-oss 20B", "MXFP4"), "gpt-oss-20b", ("MXFP4_MOE", True)),
        (("Meta-Llama-3.1-8B-Instruct-4bit", "4bit"), "llama-3.1-8b", ("Q4_0", False)),
    ],
)
def test_what_publishers_write_means_a_recipe(
    monkeypatch: pytest.MonkeyPatch,
    published: tuple[str, str],
    model: str,
    stored: tuple[str, bool],
) -> None:
    naming = tool("public.naming", monkeypatch)
    assert naming.model_id(published[0]) == model
    assert naming.plain_type(published[1]) == stored


def test_the_page_is_what_its_numbers_make(monkeypatch: pytest.MonkeyPatch) -> None:
    making = tool("make_predictions", monkeypatch)
    found = json.loads(making.VALIDATION.read_text(encoding="utf-8"))
    page = making.filled(making.TEXT.read_text(encoding="utf-8"), found)
    assert making.PAGE.read_text(encoding="utf-8") == page
    assert "{" not in page
    for kind in ("decode", "prefill"):
        assert (making.FOLDER / f"{kind}.svg").is_file()


def test_what_is_shipped_reaches_its_goals_on_devices_that_were_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of decode on GPUs; the page tells of the others, and what keeps them from theirs."""
    making = tool("make_predictions", monkeypatch)
    found = json.loads(making.VALIDATION.read_text(encoding="utf-8"))["devices left out"]
    for kind in ("decode, depth 0, both", "decode, at depth", "decode, partial offload"):
        each = found[kind]
        assert each["median"] <= each["target"]
        assert each["above"] == 0
    for kind in ("decode, depth 0, both", "decode, at depth", "prefill, all on GPUs"):
        assert 72 <= found[kind]["covered"] <= 90
    # Four devices: the intervals hold nine in ten of what is told of a device, and 71 in 100 of all
    # figures, most of which are one laptop's.
    assert found["decode, partial offload"]["device_covered"] >= 72
    assert found["decode, depth 0, both"]["p90"] <= 28
    assert found["prefill, all on GPUs"]["median"] <= 18
