"""Sentences about the file that a calibration writes."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "profile.no_file": (
        "There is no profile {path}: give the file that 'tokenroof calibrate' named.",
        "プロファイル {path} がありません。「tokenroof calibrate」が示したファイルを指定して"
        "ください。",
    ),
    "profile.bad_file": (
        "{path} is no profile of 'tokenroof calibrate' ({reason}): calibrate again.",
        "{path} は「tokenroof calibrate」のプロファイルではありません({reason})。較正し直して"
        "ください。",
    ),
}
