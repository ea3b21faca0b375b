"""What the reader of a model's figures should know: assumptions, other engines, false labels."""

from __future__ import annotations

from tokenroof import units
from tokenroof.gguf.problems import shown
from tokenroof.model.architectures import DRAFTS, KNOWN
from tokenroof.model.description import Description
from tokenroof.model.experts import holds_all
from tokenroof.model.hyperparameters import Hyperparameters
from tokenroof.model.labels import share_as_labelled
from tokenroof.model.loops import Passes
from tokenroof.model.model import Model
from tokenroof.model.windows import Windows
from tokenroof.notices import Notice


def not_modelled(said: Description) -> Notice:
    """Nothing is known of what a token reads."""
    architecture = shown(said.architecture or said.kind or "?")
    if said.is_projector:
        return Notice("model.projector", {"architecture": architecture}, "general.architecture")
    if not said.header.tensors:
        return Notice("model.no_tensors")
    return Notice(
        "model.not_modelled",
        {
            "architecture": architecture,
            "bytes": units.size(said.header.tensor_bytes),
        },
        "general.architecture",
    )


def remarks(
    model: Model,
    parameters: Hyperparameters,
    windows: Windows,
    unknown_layers: tuple[int, ...],
    runs: Passes,
) -> tuple[Notice, ...]:
    """All that there is to say of a model."""
    notices: list[Notice] = []
    architecture = shown(parameters.architecture)
    if parameters.architecture not in KNOWN:
        low, high = model.decode_weight_bounds
        kinds = sorted(model.layer_kinds.items())
        notices.append(
            Notice(
                "model.draft"
                if parameters.architecture in DRAFTS
                else "model.architecture_unknown",
                {
                    "architecture": architecture,
                    "layers": ", ".join(f"{kind} {number}" for kind, number in kinds) or "?",
                    "low": units.size(float(low)),
                    "high": units.size(float(high)),
                },
                "general.architecture",
            )
        )
    if not model.writes_tokens:
        notices.append(Notice("model.no_autoregressive_decode", {"architecture": architecture}))
    if unknown_layers:
        notices.append(
            Notice(
                "model.layers_not_modelled",
                {"layers": len(unknown_layers), "first": unknown_layers[0]},
                f"blk.{unknown_layers[0]}",
            )
        )
    if not windows.certain:
        notices.append(
            Notice(
                "model.window_assumed",
                {"window": units.count(windows.window)},
                parameters.key("attention.sliding_window"),
            )
        )
    if not model.weights_known:
        notices.append(Notice("model.experts_unknown", {}, parameters.key("expert_used_count")))
    if any(entry.kind == "expert" and not holds_all(entry.name) for entry in model.ledger):
        notices.append(Notice("model.experts_alone"))
    sliding = model.layer_kinds["window"]
    if sliding:
        values = {
            "sliding": sliding,
            "window": units.count(windows.window),
            "alike": f"{units.count(_bytes_if_all_alike(model))} B",
        }
        notices.append(Notice("model.engine_windows", values))
    if any(cache.at_most_rows is not None for cache in model.caches or ()):
        notices.append(
            Notice("model.sparse_attention", {}, parameters.key("attention.indexer.top_k"))
        )
    if runs.looped:
        notices.append(
            Notice("model.looped", {"passes": len(runs.order), "blocks": len(runs.counts)})
        )
    label = _label(model)
    if label is not None:
        notices.append(label)
    return tuple(notices)


def _bytes_if_all_alike(model: Model) -> int:
    """What one more token would add if windows kept the whole context too, in f16."""
    return 2 * sum(
        (cache.key_elements + cache.value_elements) // cache.tokens_per_row
        for cache in model.caches or ()
    )


def _label(model: Model) -> Notice | None:
    """The label of the file, where its tensors say otherwise."""
    share = share_as_labelled(model.file_type, model.header.tensors)
    if share is None or share >= 0.5 or model.file_type is None:
        return None
    by_type: dict[str, int] = {}
    for tensor in model.header.tensors:
        by_type[tensor.type] = by_type.get(tensor.type, 0) + tensor.bytes
    most = max(by_type, key=lambda name: by_type[name])
    return Notice(
        "model.label_differs",
        {
            "label": model.file_type,
            "share": units.percent(share),
            "most": most,
            "most_share": units.percent(by_type[most] / sum(by_type.values())),
        },
        "general.file_type",
    )
