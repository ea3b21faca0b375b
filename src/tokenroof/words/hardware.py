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
        "このマシンでの実測(数種類の読み出しループのうち最も速かった回)",
    ),
    "hardware.source_profile": (
        "measured when the machine was calibrated",
        "マシンを較正したときの実測",
    ),
    "hardware.source_nvml": (
        "as the NVIDIA driver tells",
        "NVIDIA ドライバーから読み取った値",
    ),
    "hardware.source_table": (
        "from the table of devices",
        "デバイス表の値",
    ),
    "hardware.source_memory": (
        "channels x data rate of the memory",
        "メモリのチャネル数と転送速度から計算した値",
    ),
    # Names of devices
    "hardware.unknown_device": (
        "The device '{name}' is unknown: measure it or give --bandwidth in GB/s; "
        "'tokenroof devices' lists those that are known.",
        "デバイス「{name}」は未知です。測るか、--bandwidth(GB/s)で指定してください。"
        "既知のデバイスは「tokenroof devices」で分かります。",
    ),
    "hardware.ambiguous_device": (
        "'{name}' may mean {candidates}: give one of these names.",
        "「{name}」に当てはまるものが複数あります: {candidates}。どれかの名前で指定してください。",
    ),
    "hardware.host_twice": (
        "The device has its host already; leave '{host}' out.",
        "デバイスの指定にホストが含まれています。「{host}」は不要です。",
    ),
    "hardware.memory_needs_channels": (
        "'{memory}' does not say how many channels hold a module: write it as 'ddr5-5600 x2'.",
        "「{memory}」だけではモジュールのあるチャネルの数が分かりません。"
        "「ddr5-5600 x2」のように書いてください。",
    ),
    "hardware.memory_needs_bits": (
        "'{memory}' does not say how wide its bus is: write it as 'lpddr5x-8000 256-bit'.",
        "「{memory}」だけではバス幅が分かりません。"
        "「lpddr5x-8000 256-bit」のように書いてください。",
    ),
    "hardware.memory_impossible": (
        "'{memory}' is no memory that there is: look at its channels or bits and its MT/s.",
        "「{memory}」というメモリはありません。チャネル数やビット幅と MT/s を見直してください。",
    ),
    # What the figures of a device assume
    "hardware.assumes_published": (
        "{bandwidth} as published",
        "公表値のメモリ帯域 {bandwidth}",
    ),
    "hardware.assumes_computed": (
        "{bandwidth}: bus width x data rate",
        "バス幅と転送速度から計算したメモリ帯域 {bandwidth}",
    ),
    "hardware.assumes_rated_memory": (
        "every channel populated with {memory} (give yours as '+ ddr5-5600 x2')",
        "全チャネルに {memory} を搭載(実際の構成は「+ ddr5-5600 x2」のように指定)",
    ),
    "hardware.assumes_unverified": (
        "the bandwidth of {device} is not confirmed",
        "{device} のメモリ帯域は未確認",
    ),
    "hardware.assumes_memory_size": (
        "the {size} GB version (there are {sizes})",
        "{size} GB のモデル({sizes} がある)",
    ),
    "hardware.assumes_namesake": (
        "taken for {device}, not for {others}",
        "{device} とみなす({others} ではない)",
    ),
    "hardware.assumes_shared_memory": (
        "memory that system and programs use too, and of which a GPU may get only a part",
        "システムや他のプログラムと共有するメモリ(GPU が使えるのは一部のことがある)",
    ),
    "hardware.assumes_fastest": (
        "at most as if all layers lay on the fastest one",
        "上限はすべての層を最も速いデバイスに置いた場合",
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
