"""A placement as a person reads it: what lies where, what is read there, and what to paste."""

from __future__ import annotations

from tokenroof import words
from tokenroof.cli.screen import Screen
from tokenroof.predict.records import PartTime, Placed, Row, Share
from tokenroof.safetext import printable
from tokenroof.units import binary_size, count, milliseconds, size

_LINES = (
    "cli.column_layers",
    "cli.column_weights",
    "cli.column_cache",
    "cli.column_buffers",
    "cli.column_resident",
    "cli.column_capacity",
    "cli.column_read_here",
    "cli.column_time",
)


def said(placement: Placed, language: str) -> str:
    """How much of the model lies on cards, in a few words."""
    values = {"cards": count(placement.gpu_layers), "layers": count(placement.layers)}
    text = words.text("cli.layers_of", language, **values)
    if placement.cpu_moe and placement.gpu_layers:
        behind = count(placement.cpu_moe)
        text += words.text("cli.experts_behind", language, count=behind)
    return text


def show_placement(screen: Screen, row: Row, language: str) -> None:
    """Print where the model of a row lies, where that is more than one place."""
    placement = row.placement
    if placement is None or row.fits is None:
        return
    if placement.chosen or len(placement.parts) > 1 or len(row.fits.devices) > 1:
        _places(screen, row, placement, language)
    if placement.chosen:
        _paste(screen, placement, language)


def _places(screen: Screen, row: Row, placement: Placed, language: str) -> None:
    """A column a place: there are few of them, and their names are long."""
    assert row.fits is not None
    shares = [*row.fits.devices, *([row.fits.host] if row.fits.host is not None else [])]
    waiting = list(placement.parts)
    columns = []
    for share in shares:
        part = next((each for each in waiting if each.device == share.device), None)
        if part is not None:
            waiting.remove(part)
        columns.append([*_held(share), *_done(part)])
    titles = [words.text(each, language) for each in _LINES]
    screen.gap()
    screen.table(
        [words.text("cli.where", language), *(printable(share.device) for share in shares)],
        [[title, *cells] for title, *cells in zip(titles, *columns, strict=True)],
        left=(0,),
    )


def _held(share: Share) -> list[str]:
    return [
        count(share.layers or 0),
        binary_size(share.weights_bytes or 0),
        binary_size((share.cache_bytes or 0) + (share.state_bytes or 0)),
        f"≤ {binary_size(share.buffers_high_bytes or 0)}",
        binary_size(share.resident_bytes),
        "–" if share.capacity_bytes is None else binary_size(share.capacity_bytes),
    ]


def _done(part: PartTime | None) -> list[str]:
    if part is None:
        return ["–", "–"]
    read = sum(part.weights.values()) + sum(part.experts.values()) + part.cache_bytes
    return [size(read), "–" if part.seconds is None else f"≥ {milliseconds(part.seconds)}"]


def _paste(screen: Screen, placement: Placed, language: str) -> None:
    flags = placement.flags
    screen.gap()
    screen.say(words.text("cli.paste", language))
    screen.command(printable(flags.llama_server))
    screen.gap()
    screen.say("Modelfile (Ollama):")
    for line in flags.ollama:
        screen.command(printable(line))
    if flags.ollama_environment:
        screen.say(words.text("cli.ollama_environment", language), indent=2)
        screen.command(" ".join(flags.ollama_environment))
    if flags.ollama_cannot:
        options = ", ".join(flags.ollama_cannot)
        screen.say(words.text("cli.ollama_cannot", language, options=options), indent=2)
    screen.gap()
    screen.say("LM Studio:")
    screen.command(printable(flags.lm_studio))
    if flags.lm_studio_experts is not None:
        behind = count(flags.lm_studio_experts)
        screen.say(words.text("cli.lm_studio_experts", language, count=behind), indent=2)
    if flags.lm_studio_kv_types is not None:
        keys, values = flags.lm_studio_kv_types
        types = {"keys": keys, "values": values}
        screen.say(words.text("cli.lm_studio_kv_types", language, **types), indent=2)
    if flags.lm_studio_kv_on_host:
        screen.say(words.text("cli.lm_studio_kv_on_host", language), indent=2)
