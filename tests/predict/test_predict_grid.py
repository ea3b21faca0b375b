"""The estimator on blocks of arrays: a cell is the row that is asked alone, to the last digit."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from support.article_models import gpt_oss_20b, qwen3_8b, qwen3_coder_30b
from support.oracle.kinds import KINDS, Kind, converted
from tokenroof.api import estimate_grid
from tokenroof.errors import UsageError
from tokenroof.gguf import Header
from tokenroof.hardware.device import Device
from tokenroof.model import Model, build_model
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case
from tokenroof.predict.estimate import VERDICTS
from tokenroof.predict.grid import Grid, grid
from tokenroof.predict.pace.depths import added, attention_flop, cache_bytes

MODELS: dict[str, Callable[[], Header]] = {
    "qwen3-8b": qwen3_8b,
    "gpt-oss-20b": gpt_oss_20b,
    "qwen3-coder-30b": qwen3_coder_30b,
}
DEVICES = [
    "RTX 3090",
    "Apple M4 Max (40-core GPU)",
    "EPYC 9654 + ddr5-4800 x12",
    "2x RTX 3090",
    "RTX 3090 + GeForce RTX 4090",
    "RTX 3070 + ddr4-3200 x2",
]
DEPTHS = [0, 1, 127, 128, 470, 31_600, 33_333]


def load(name: str) -> Model:
    return build_model(MODELS[name]())


def here() -> Device:
    raise AssertionError("no cell asks about this machine")


def asked(like: Case | None = None) -> Grid:
    return grid(Asker(load, here), list(MODELS), DEVICES, DEPTHS, like)


def test_a_cell_is_bandwidth_over_the_bytes_that_the_model_reads_at_its_depth() -> None:
    # weights 2,574,705,396; at 470: 12 full layers x 2,048 B x 470 + 12 sliding x 2,048 B x 128
    # = 14,696,448; RTX 3090: 384 bits x 19.5 GT/s / 8 = 936 GB/s
    made = asked()
    assert made.read_bytes[1, 0, DEPTHS.index(470)] == 2_574_705_396 + 14_696_448
    found = made.ceiling_tokens_per_second[1, 0, DEPTHS.index(470)]
    assert found == pytest.approx(936e9 / 2_589_401_844, rel=3e-4)


@pytest.mark.parametrize(
    "like",
    [
        Case(),
        Case(context=40_000, kv_type="q8_0"),
        Case(gpu_layers=10),
        Case(cpu_moe=True, engine="llama-server"),
        Case(kv_offload=False),
        Case(weight_bytes=3_000_000_000.0),
    ],
)
def test_every_cell_is_the_row_that_is_asked_alone(like: Case) -> None:
    from msgspec.structs import replace

    made = asked(like)
    predicted = 0
    places = [(m, d, n) for m in range(3) for d in range(len(DEVICES)) for n in range(len(DEPTHS))]
    cases = [
        replace(
            like,
            model=made.models[m],
            device=made.devices[d],
            depth=DEPTHS[n],
            context=made.context,
        )
        for m, d, n in places
    ]
    for (m, d, n), row in zip(places, Asker(load, here).estimate(cases).rows, strict=True):
        assert row.fits is not None
        assert made.read_bytes[m, 0, n] == row.read_bytes
        assert made.ceiling_tokens_per_second[m, d, n] == row.ceiling_tokens_per_s
        assert VERDICTS[made.verdict_codes[m, d, 0]] == row.fits.verdict
        if row.decode is not None and row.decode.basis == "public":
            assert made.predicted_tokens_per_second[m, d, n] == row.decode.tokens_per_s
            predicted += 1
    assert predicted > len(places) // 2


@pytest.mark.parametrize("types", [("f16", "f16"), ("q8_0", "q4_0"), ("f32", "bf16")])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_reads_at_many_depths_are_those_of_one_depth_at_a_time(
    kind: Kind, types: tuple[str, str]
) -> None:
    model = build_model(Header.build(*converted(kind)))
    depths = np.array([0, 1, 3, 4, 127, 128, 511, 1024, 4097, 131_071], dtype=np.int64)
    try:
        alone = [model.kv_read(each, *types) for each in depths.tolist()]
    except UsageError:
        assert types != ("f16", "f16")
        return  # llama.cpp does not keep this model's cache in these types
    assert model.caches is not None
    made = cache_bytes(model.caches, depths, types) + 2 * model.state_bytes
    assert made.tolist() == alone


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_attention_at_many_depths_is_that_of_one_depth_at_a_time(kind: Kind) -> None:
    model = build_model(Header.build(*converted(kind)))
    depths = np.array([0, 1, 3, 4, 127, 128, 511, 1024, 4097, 131_071], dtype=np.int64)
    alone = [model.attention_flop(1, each) for each in depths.tolist()]
    assert attention_flop(model, depths).tolist() == alone


@pytest.mark.parametrize("weights", [7, Fraction(5, 2), Fraction(7, 3), Fraction(8, 3), 2.5])
def test_bytes_are_rounded_as_python_rounds_them(weights: float | Fraction) -> None:
    cache = np.arange(4, dtype=np.int64)
    assert added(weights, cache).tolist() == [round(weights + each) for each in range(4)]


def test_memory_is_set_aside_for_the_deepest_token_unless_told() -> None:
    assert asked().context == 33_334
    assert asked(Case(context=50_000)).context == 50_000


def test_a_grid_without_devices_is_refused() -> None:
    with pytest.raises(UsageError) as refused:
        grid(Asker(load, here), ["qwen3-8b"], [], [0])
    assert refused.value.message == "lists.empty_grid"


def test_a_grid_looks_for_no_placements() -> None:
    with pytest.raises(UsageError) as refused:
        asked(Case(fit=True))
    assert refused.value.message == "lists.grid_and_fit"


def test_a_grid_is_asked_by_names() -> None:
    made = estimate_grid(["qwen3-8b@Q4_K_M"], ["RTX 3090", "RTX 5090"], range(0, 32_768, 512))
    assert made.ceiling_tokens_per_second.shape == (1, 2, 64)
    # 1,792 GB/s and 4,671,768,832 B
    assert made.ceiling_tokens_per_second[0, 1, 0] == pytest.approx(
        1792e9 / 4_671_768_832, rel=5e-4
    )
    assert (made.predicted_tokens_per_second < made.ceiling_tokens_per_second).all()
