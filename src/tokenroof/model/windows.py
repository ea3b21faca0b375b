"""Which attention layers see only a window of the context, and how wide it is.

A sliding layer attends to the last `attention.sliding_window` tokens; a chunked one (llama4) to
those of its chunk, at most as many. Which layers slide is said by an array with one entry a layer
or by a period p, where layer i is full if i mod p = p - 1 (some architectures: if i mod p = 0);
p = 0 makes all slide, p = 1 none. Where the file is silent, llama.cpp has a default by name, with
its conditions (`architectures.WINDOWS`); an architecture without one keeps the whole context, even
if its file names a window.
"""

from __future__ import annotations

from dataclasses import dataclass

from tokenroof.errors import ModelError
from tokenroof.model.architectures import KNOWN, WINDOWS, WindowRule
from tokenroof.model.hyperparameters import Hyperparameters

_PATTERN = "attention.sliding_window_pattern"
_WINDOW = "attention.sliding_window"


@dataclass(frozen=True, slots=True)
class Windows:
    """The sliding layers of a model.

    Attributes:
        window: tokens that a sliding layer attends to.
        slides: for each layer, whether it slides.
        certain: False where the file names a window, not which layers use it, and no default of
            the architecture is known. Then no layer slides in `slides`; at best all of them do.
    """

    window: int
    slides: tuple[bool, ...]
    certain: bool = True


def sliding_layers(parameters: Hyperparameters, layers: int) -> Windows:
    """Find the sliding layers.

    Raises:
        ModelError: the architecture needs an array of sliding layers and the file has none.
    """
    none = Windows(0, (False,) * layers)
    window = parameters.count(_WINDOW)
    if parameters.architecture not in KNOWN and parameters.architecture not in WINDOWS:
        if window == 0:
            return none
        slides = _by_metadata(parameters, layers, dense_first=False)
        if slides is None:
            return Windows(window, none.slides, certain=False)
        return Windows(window, slides)
    rule = WINDOWS.get(parameters.architecture)
    if rule is None or (rule.layers is not None and rule.layers != layers):
        return none
    window = _window(rule, parameters, window)
    if window == 0:
        return none
    return Windows(window, _slides(rule, parameters, layers))


def _window(rule: WindowRule, parameters: Hyperparameters, window: int) -> int:
    if _WINDOW in parameters and window == 0:
        return 0
    if window or rule.always:
        return rule.fixed_window or window or rule.window or 0
    return 0


def _slides(rule: WindowRule, parameters: Hyperparameters, layers: int) -> tuple[bool, ...]:
    if rule.all_attention:
        return (True,) * layers
    slides = _by_metadata(parameters, layers, rule.dense_first)
    if slides is not None:
        return slides
    if rule.period == 0:
        raise ModelError("model.window_pattern_missing", key=parameters.key(_PATTERN))
    return _periodic(rule.period, layers, rule.dense_first)


def _by_metadata(
    parameters: Hyperparameters, layers: int, dense_first: bool
) -> tuple[bool, ...] | None:
    if parameters.array(_PATTERN) is not None:
        return tuple(bool(slides) for slides in parameters.per_layer(_PATTERN, layers))
    period = parameters.number(_PATTERN)
    return None if period is None else _periodic(period, layers, dense_first)


def _periodic(period: int, layers: int, dense_first: bool) -> tuple[bool, ...]:
    if period == 0:
        return (True,) * layers
    full = 0 if dense_first else period - 1
    return tuple(layer % period != full for layer in range(layers))
