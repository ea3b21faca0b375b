"""The invariant of the model: any header gives figures that are sound, or one of our errors."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from support.text import is_safe
from tokenroof.errors import InputError, UsageError
from tokenroof.gguf import Header
from tokenroof.model import Model, Setup, build_model, inspection


def survive_model(header: Header) -> Model:
    """Make a model of any header, use all that comes of it, and check what must hold.

    The strict way may refuse, with a sentence of ours; inspection describes whatever there is.
    """
    refusal = _refusal(header)
    assert refusal is None or is_safe(refusal.text("en") + refusal.text("ja"))
    model = build_model(header, lenient=True)
    document = inspection(model, prompts=[1, 600], tensors=True).to_dict()
    for kv_type, swa_full in (("f16", False), ("q8_0", True)):
        setup = Setup(type_k=kv_type, type_v=kv_type, sequences=2, swa_full=swa_full)
        with suppress(UsageError):  # not every model's cache can be kept in every type
            document = inspection(
                model, [0, 1, 5000], [1, 5000], prompts=[1, 600], setup=setup, tensors=True
            ).to_dict()
    json.dumps(document, allow_nan=False)
    for notice in model.warnings:
        assert is_safe(notice.text("en") + notice.text("ja"))
    _check(document)
    return model


def _refusal(header: Header) -> InputError | None:
    try:
        build_model(header)
    except InputError as error:
        return error
    return None


def _check(document: dict[str, Any]) -> None:
    whole = document["model"]["tensor_bytes"] + document["model"]["overlap_bytes"]
    for key in ("components", "types", "tensors"):
        assert sum(each["bytes"] for each in document[key]) == whole
    decode = document["decode"]
    read, low, high = (decode[f"weight_bytes{end}"] for end in ("", "_low", "_high"))
    assert 0 <= low <= high
    assert read is None or low <= read <= high
    for row in document["kv"]["read"] + document["kv"]["allocated"]:
        if row["bytes"] is not None:
            assert 0 <= row.get("low", 0) <= row["bytes"] <= row.get("high", row["bytes"])
    sizes = [row["bytes"] for row in document["kv"]["read"] if row["bytes"] is not None]
    assert sizes == sorted(sizes), "a deeper context reads no less"
