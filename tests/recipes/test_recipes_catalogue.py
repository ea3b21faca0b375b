"""The catalogue: names as people say them, and figures that add up to the published ones."""

from __future__ import annotations

import math
import re

import pytest

from tokenroof.errors import NotFound
from tokenroof.model import build_model
from tokenroof.recipes import blueprint, entries, find, lookup, recipe, search
from tokenroof.recipes.catalogue import nearest

# Weights of each model as its page on the Hub counts them, the head of a tied one once.
PARAMETERS = {
    "llama-2-7b": 6_738_415_616,
    "llama-2-13b": 13_015_864_320,
    "llama-2-70b": 68_976_648_192,
    "llama-3-8b": 8_030_261_248,
    "llama-3-70b": 70_553_706_496,
    "llama-3.1-405b": 405_853_388_800,
    "llama-3.2-1b": 1_235_814_400,
    "llama-3.2-3b": 3_212_749_824,
    "mistral-7b": 7_241_732_096,
    "mistral-7b-v0.3": 7_248_023_552,
    "mixtral-8x7b": 46_702_792_704,
    "mixtral-8x22b": 140_630_071_296,
    "qwen2.5-0.5b": 494_032_768,
    "qwen2.5-1.5b": 1_543_714_304,
    "qwen2.5-3b": 3_085_938_688,
    "qwen2.5-7b": 7_615_616_512,
    "qwen2.5-14b": 14_770_033_664,
    "qwen2.5-32b": 32_763_876_352,
    "qwen2.5-72b": 72_706_203_648,
    "qwen3-0.6b": 596_049_920,
    "qwen3-1.7b": 1_720_574_976,
    "qwen3-4b": 4_022_468_096,
    "qwen3-8b": 8_190_735_360,
    "qwen3-14b": 14_768_307_200,
    "qwen3-32b": 32_762_123_264,
    "qwen3-30b-a3b": 30_532_122_624,
    "qwen3-235b-a22b": 235_093_634_560,
    "gpt-oss-20b": 20_914_757_184,
    "gpt-oss-120b": 116_829_156_672,
    "gemma-2-2b": 2_614_341_888,
    "gemma-2-9b": 9_241_705_984,
    "gemma-2-27b": 27_227_128_320,
    "gemma-3-1b": 999_885_952,
    "phi-2": 2_779_683_840,
    "phi-3-mini": 3_821_079_552,
    "phi-4": 14_659_507_200,
    "deepseek-v3": 671_026_419_200,
    "smollm2-135m": 134_515_008,
    "smollm2-360m": 361_821_120,
    "smollm2-1.7b": 1_711_376_384,
    "tinyllama-1.1b": 1_100_048_384,
    "starcoder2-15b": 15_957_889_024,
    "gemma-2b": 2_506_172_416,
    "gemma-7b": 8_537_680_896,
    "mistral-nemo-12b": 12_247_782_400,
    "deepseek-v2-lite": 15_706_484_224,
    "olmo-2-7b": 7_298_617_344,
    "olmo-2-13b": 13_716_198_400,
    "command-r7b": 8_028_033_024,
    "falcon3-7b": 7_455_550_464,
    "yi-1.5-9b": 8_829_407_232,
    "yi-1.5-34b": 34_388_917_248,
    "deepseek-r1-distill-qwen-1.5b": 1_777_088_000,
    "starcoder2-3b": 3_030_371_328,
    "starcoder2-7b": 7_173_923_840,
    "internlm2.5-7b": 7_737_708_544,
    "qwen1.5-moe-a2.7b": 14_315_784_192,
    "olmoe-1b-7b": 6_919_161_856,
    "granite-3.3-2b": 2_533_539_840,
    "phi-3-medium": 13_960_238_080,
    "phi-4-mini": 3_836_021_760,
    "phi-3.5-moe": 41_873_153_344,
    "smollm3-3b": 3_075_098_624,
    "llama-4-scout": 107_769_861_120,
    "seed-oss-36b": 36_151_104_512,
    "glm-4-9b": 9_400_279_040,
    "falcon-7b": 7_217_189_760,
    "exaone-3.5-7.8b": 7_818_448_896,
    "solar-10.7b": 10_731_524_096,
    "mamba-codestral-7b": 7_285_403_648,
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_the_tensors_of_a_recipe_hold_the_published_number_of_weights(name: str) -> None:
    # The converter adds factors for positions, which no checkpoint holds.
    sketch = blueprint(find(name)).sketch
    shapes = (shape for each, shape in sketch.tensors.items() if not each.startswith("rope_"))
    assert sum(map(math.prod, shapes)) == PARAMETERS[name]


@pytest.mark.parametrize(
    ("name", "billions"),
    [("falcon-40b", 41.8), ("falcon-mamba-7b", 7.27), ("mamba-2.8b", 2.77), ("dbrx-132b", 131.6),
     ("minicpm-2b", 2.72), ("minicpm3-4b", 4.07), ("exaone-3.5-2.4b", 2.41),
     ("exaone-3.5-32b", 32.0), ("command-r-plus-104b", 103.8), ("aya-expanse-32b", 32.3),
     ("qwen2-72b", 72.7), ("qwen2-7b", 7.62), ("grok-2-270b", 269.5)],
)  # fmt: skip
def test_a_recipe_holds_the_weights_that_the_models_page_says(name: str, billions: float) -> None:
    sketch = blueprint(find(name)).sketch
    shapes = (shape for each, shape in sketch.tensors.items() if not each.startswith("rope_"))
    weights = sum(map(math.prod, shapes)) / 1e9
    assert weights == pytest.approx(billions, abs=0.05 if billions > 10 else 0.005)


def test_there_are_more_models_than_the_eighty_that_were_asked_for() -> None:
    assert len(entries()) >= 80


@pytest.mark.parametrize(
    "name",
    [
        "llama-2-7b", "llama-3.1-8b", "llama-3.2-1b", "llama-3.3-70b", "qwen2.5-14b", "qwen3-0.6b",
        "qwen3-8b", "qwen3-30b-a3b", "qwen3-coder-30b-a3b", "gpt-oss-20b", "gpt-oss-120b",
        "gemma-3-27b", "glm-4.5-air", "deepseek-v3.1",
    ],
)  # fmt: skip
def test_ids_are_what_people_say(name: str) -> None:
    assert find(name).id == name


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("Qwen3-8B", "qwen3-8b"),
        ("qwen3:8b", "qwen3-8b"),
        ("Qwen/Qwen3-8B", "qwen3-8b"),
        ("Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("llama3.1:8b", "llama-3.1-8b"),
        ("llama-3_1-8b", "llama-3.1-8b"),
        ("gpt-oss:20b", "gpt-oss-20b"),
        ("gemma3:4b", "gemma-3-4b"),
        ("gemma-3-27b-it", "gemma-3-27b"),
        ("gemma-3-27b-it-GGUF", "gemma-3-27b"),
        ("phi4", "phi-4"),
        ("deepseek-r1:8b", "deepseek-r1-0528-qwen3-8b"),
        ("qwen3-coder:30b", "qwen3-coder-30b-a3b"),
        ("Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"),
        ("qwq", "qwq-32b"),
        ("codestral", "codestral-22b"),
        ("exaone3.5:7.8b", "exaone-3.5-7.8b"),
        ("deepseek-v2:236b", "deepseek-v2.5"),
        ("tiiuae/falcon-7b-instruct", "falcon-7b"),
        ("Qwen2-7B-Instruct", "qwen2-7b"),
    ],
)
def test_common_spellings_mean_the_same(spelling: str, name: str) -> None:
    assert find(spelling).id == name


def test_no_spelling_means_two_models() -> None:
    owners: dict[str, set[str]] = {}
    for entry in entries():
        for text in (entry.id, *entry.aliases):
            owners.setdefault(re.sub(r"[-_: ]", "", text.lower()), set()).add(entry.id)
    assert {text: ids for text, ids in owners.items() if len(ids) > 1} == {}


def test_every_entry_says_where_its_config_is_published() -> None:
    for entry in entries():
        assert re.fullmatch(
            r"https://huggingface\.co/[\w.-]+/[\w.-]+/blob/main/config\.json", entry.source
        ), entry.id
        assert re.fullmatch(r"[a-z0-9.-]+", entry.id)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.id)
def test_every_entry_becomes_a_model_that_is_understood(entry: object) -> None:
    name = entry.id  # type: ignore[attr-defined]
    model = build_model(recipe(name))
    assert model.is_understood
    assert model.weights_known
    assert model.writes_tokens
    assert model.vocabulary
    assert model.context_length
    weights = model.decode_weight_bytes
    assert weights is not None
    assert 0 < weights <= model.tensor_bytes
    assert model.kv_read(1000)


def test_an_unknown_name_gets_the_closest_three() -> None:
    with pytest.raises(NotFound) as caught:
        find("qwen3-9b")
    closest = str(caught.value.values["closest"]).split(", ")
    assert len(closest) == 3
    assert set(closest) < {entry.id for entry in entries()}
    assert "qwen3-8b" in closest


def test_a_familys_name_gets_its_own_models_however_it_is_spelled() -> None:
    # Ollama writes llama3.1 where the ids write llama-3.1.
    assert set(nearest("llama3.1")) == {"llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b"}
    assert set(nearest("gpt-oss")[:2]) == {"gpt-oss-20b", "gpt-oss-120b"}
    assert nearest("my-model.ggu", ["my-model.gguf"])[0] == "my-model.gguf"


def test_a_name_like_none_says_where_the_list_is() -> None:
    with pytest.raises(NotFound) as caught:
        find("zzzz")
    assert "models --catalogue" in str(caught.value)


def test_what_changes_the_model_is_never_left_out_of_a_name() -> None:
    assert lookup("qwen3-8b-abliterated") is None
    assert lookup("qwen3") is None
    assert lookup("") is None


def test_a_search_finds_every_word_anywhere() -> None:
    assert [entry.id for entry in search("qwen3 coder")] == [
        "qwen3-coder-30b-a3b",
        "qwen3-coder-480b-a35b",
        "qwen3-coder-next",
    ]
    assert search("Mixtral-8x7B-Instruct")[0].id == "mixtral-8x7b"
    assert len(search("")) == len(entries())
    assert search("no such model") == ()


def test_the_default_type_is_said_and_is_that_of_publication_where_there_is_one() -> None:
    assert recipe("gpt-oss-20b").recipe == "gpt-oss-20b@MXFP4_MOE"
    header = recipe("qwen3-8b")
    assert header.recipe == "qwen3-8b@Q4_K_M"
    assert "recipes.type_assumed" in {each.message for each in header.problems}
    assert "recipes.type_assumed" not in {
        each.message for each in recipe("qwen3-8b", "Q4_K_M").problems
    }


def test_a_recipe_says_that_it_is_one_and_by_whose_config() -> None:
    first = recipe("qwen3-8b", "Q6_K").problems[0]
    assert first.message == "recipes.recipe"
    assert first.values["source"] == find("qwen3-8b").source


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("qwen3-8b", "IQ2_XS", "recipes.needs_matrix"),
        ("qwen3-8b", "IQ3_XXS", "recipes.matrix_expected"),
        ("qwen3-8b", "Q4_0", "recipes.matrix_differs"),
        ("gpt-oss-20b", "Q8_0", "recipes.published_in"),
        ("qwen3.6-27b", "Q8_0", "recipes.without_mtp"),
        ("gemma-3-270m", "Q4_K_M", "recipes.fallback"),
    ],
)
def test_what_a_reader_should_know_is_said(name: str, kind: str, message: str) -> None:
    assert message in {each.message for each in recipe(name, kind).problems}


def test_a_plain_recipe_says_nothing_more() -> None:
    assert [each.message for each in recipe("qwen3-8b", "Q6_K").problems] == ["recipes.recipe"]
