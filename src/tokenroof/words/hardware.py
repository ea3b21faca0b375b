"""Sentences about devices and this machine."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "hardware.not_positive": (
        "{option} {value} is not a size: give a number above 0.",
        "{option} {value} は使えません。0 より大きい数を指定してください。",
    ),
    "hardware.source_given": (
        "given on the command line",
        "コマンドラインで指定した値",
    ),
    "hardware.source_here": (
        "as this machine tells",
        "このマシンから読み取った値",
    ),
    "hardware.source_measured": (
        "measured on this machine: the fastest repeat of several reading loops",
        "このマシンでの実測（数種類の読み出しループのうち最も速かった回）",
    ),
    "hardware.source_nvml": (
        "as the NVIDIA driver tells",
        "NVIDIA ドライバーから読み取った値",
    ),
    "hardware.bandwidth_unknown": (
        "The memory bandwidth of the device is not known, so there is no ceiling: "
        "give it with --bandwidth.",
        "このデバイスのメモリ帯域が分からないため、上限は出せません。"
        "--bandwidth で指定してください。",
    ),
    "hardware.ceiling_two_places": (
        "The layers ran on two devices in turn, so no single bandwidth is the ceiling.",
        "層が 2 つのデバイスに分かれて動いたため、1 つのメモリ帯域からは上限が決まりません。",
    ),
    "hardware.ceiling_place_unknown": (
        "The engine does not say where the model ran, and the bandwidth of {device} is a ceiling "
        "only for what runs there: give the right one with --bandwidth.",
        "モデルがどこで動いたかをエンジンが示していません。{device} のメモリ帯域は、"
        "そこで動いた場合だけの上限です。正しい値を --bandwidth で指定してください。",
    ),
    "hardware.ceiling_other_place": (
        "The model did not run on {device}, so its bandwidth is no ceiling here: "
        "give the right one with --bandwidth.",
        "モデルは {device} で動いていないため、そのメモリ帯域は上限になりません。"
        "正しい値を --bandwidth で指定してください。",
    ),
    "hardware.buffer_small": (
        "There was memory for only {buffer} beside {cache} of cache: the measured bandwidth may "
        "be partly the cache's.",
        "{cache} のキャッシュに対して {buffer} のメモリしか使えませんでした。"
        "実測のメモリ帯域にはキャッシュの速さが混じっている可能性があります。",
    ),
}
