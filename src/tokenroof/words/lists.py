"""Sentences about many answers at once: grids, tables, charts, and figures from elsewhere."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "lists.empty_grid": (
        "A grid needs at least one model, one device and one depth.",
        "モデル、デバイス、depth をそれぞれ 1 つ以上指定してください。",
    ),
    "lists.grid_and_fit": (
        "A grid looks for no placements: ask --fit for one question at a time.",
        "グリッドでは配置を探しません。--fit は 1 問ずつ使ってください。",
    ),
}
