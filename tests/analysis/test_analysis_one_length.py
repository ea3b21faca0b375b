"""One sentence speaks of one length."""

from __future__ import annotations

from tokenroof.analysis.results import DecodePoint, PrefillPoint, Timing
from tokenroof.analysis.sentences import how_fast


def timing(seconds: float) -> Timing:
    return Timing(runs=3, seconds_per_token=seconds, tokens_per_second=1 / seconds)


def prefill(tokens: float, seconds: float) -> PrefillPoint:
    return PrefillPoint(
        prompt_tokens=tokens,
        depth=0,
        context_tokens=tokens,
        counted=timing(seconds),
        with_excluded=None,
        excluded=0,
    )


def decode(tokens: float, seconds: float) -> DecodePoint:
    return DecodePoint(
        prompt_tokens=tokens,
        depth=0,
        context_tokens=tokens,
        counted=timing(seconds),
        with_excluded=None,
        excluded=0,
    )


def test_a_length_that_only_decode_was_measured_at_is_not_joined_to_another_ones_prefill() -> None:
    notice = how_fast(
        "m", [prefill(128, 0.01)], [decode(69, 0.5), decode(128, 0.25), decode(300, 0.2)]
    )
    assert notice is not None
    # 0.01 s a token are 100 tok/s, 0.25 s are 4 tok/s, both at 128; no other length has both.
    assert "128 tokens at 100 tok/s (prefill) and writes at 4.00 tok/s" in notice.text()
    assert "69" not in notice.text()


def test_without_a_common_length_only_the_writing_is_told() -> None:
    notice = how_fast("m", [prefill(128, 0.01)], [decode(69, 0.5)])
    assert notice is not None
    assert "2.00 tok/s (decode) with 69 tokens" in notice.text()
