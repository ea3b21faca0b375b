"""From a chart's definition to SVG and PNG, without a browser and without a network."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

PNG_SCALE = 2.0
"""Pixels for each unit of the drawing: sharp on paper and on fine screens."""


def svg(spec: Mapping[str, Any]) -> str:
    """A picture that scales."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(dict(spec), vl_version=_version())
    return drawn


def png(spec: Mapping[str, Any]) -> bytes:
    """A picture in pixels."""
    import vl_convert

    drawn: bytes = vl_convert.vegalite_to_png(
        dict(spec), vl_version=_version(), scale=PNG_SCALE, ppi=72
    )
    return drawn


@cache
def scripts() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that needs nothing else."""
    import vl_convert

    snippet = "window.vega = vega; window.vegaLite = vegaLite; window.vegaEmbed = vegaEmbed;"
    bundle: str = vl_convert.javascript_bundle(snippet, vl_version=_version())
    # The one web address in it is a schema's name in an attribute; none is ever fetched.
    return bundle.replace("</script", "<\\/script")


@cache
def draws_japanese() -> bool:
    """Whether a font here has Japanese letters: two different ones look different."""
    return _drawn("\u3042") != _drawn("\u6f22")


def _drawn(letter: str) -> bytes:
    import vl_convert

    picture: bytes = vl_convert.svg_to_png(
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
        f'<text x="4" y="30" font-size="24" font-family="sans-serif">{letter}</text></svg>'
    )
    return picture


def _version() -> str:
    import altair

    return ".".join(altair.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
