"""Sentences about the file that a calibration writes."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "profile.no_file": (
        "There is no profile {path}: give the file that 'tokenroof calibrate' named.",
        "プロファイル {path} がありません。「tokenroof calibrate」が示したファイルを指定して"
        "ください。",
    ),
    "profile.used": (
        "calibrated with {engine} on {date}",
        "{date} に {engine} で較正",
    ),
    "profile.unlike": (
        "not by the calibration of this machine, which was made with another {key}: calibrate "
        "with that one",
        "このデバイスの較正は {key} が違うため使っていません。その条件で較正してください",
    ),
    "profile.beyond": (
        "not by the calibration of this machine, which does not hold for this {key}",
        "このデバイスの較正はこの {key} には当てはまらないため使っていません",
    ),
    "profile.not_learnt": (
        "{phases} not by the calibration of this machine, which did not learn {kinds}: run "
        "'tokenroof calibrate --full'",
        "このデバイスの較正は {kinds} を学んでいないため {phases} には使っていません。"
        "「tokenroof calibrate --full」を実行してください",
    ),
    "profile.never_learnt": (
        "{phases} not by the calibration of this machine, which did not learn {kinds}",
        "このデバイスの較正は {kinds} を学んでいないため {phases} には使っていません",
    ),
    "profile.skipped": (
        "{phases} not by the calibration of this machine, whose engine could not run the models "
        "that tell of one like this: {kinds}",
        "このデバイスの較正は、このようなモデルを学ぶためのモデルをエンジンが動かせなかったため"
        " {phases} には使っていません: {kinds}",
    ),
    "profile.older": (
        "{phases} not by the calibration of this machine, which an older tokenroof made that "
        "learnt less: run 'tokenroof calibrate' again",
        "このデバイスの較正は、学ぶことの少ない古い tokenroof で行われたため {phases} には"
        "使っていません。"
        "「tokenroof calibrate」で較正し直してください",
    ),
    "profile.stale": (
        "not by the calibration of this machine, made with {engine} {measured} where {installed} "
        "is installed: calibrate again",
        "このデバイスの較正は {engine} {measured} で行われ、今は {installed} のため使っていません。"
        "較正し直してください",
    ),
    "profile.unchecked": (
        "not checked whether {engine} is still {measured}",
        "{engine} が今も {measured} かは確かめていません",
    ),
    "profile.bad_file": (
        "{path} is no profile of 'tokenroof calibrate' ({reason}): calibrate again.",
        "{path} は「tokenroof calibrate」のプロファイルではありません({reason})。較正し直して"
        "ください。",
    ),
}
