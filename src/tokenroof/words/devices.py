"""Sentences of the verb `devices`."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "devices.short": (
        "look up devices: bandwidth, memory, compute, sources",
        "デバイスを調べる: 帯域、メモリ、演算性能、出典",
    ),
    "devices.about": (
        "Look up the devices whose figures are known. QUERY is a name, as people or drivers "
        "write it, or words of one; a single device is shown in full, with where each figure "
        "comes from. Without QUERY, list them all.\n\n"
        "A name as it is shown can be given to estimate --on.",
        "性能が分かっているデバイスを調べます。QUERY は名前(人やドライバーが書くとおり)か、"
        "その一部です。1 つに決まれば、数値ごとの出典も表示します。QUERY がなければ"
        "すべてを一覧します。\n\n"
        "表示された名前は estimate --on にそのまま渡せます。",
    ),
    # The list
    "devices.device": ("device", "デバイス"),
    "devices.bandwidth_column": ("GB/s", "GB/s"),
    "devices.memory_column": ("GB", "GB"),
    "devices.fp16_column": ("FP16", "FP16"),
    "devices.year_column": ("year", "年"),
    "devices.list_notes": (
        "Devices: {count}. FP16: dense TFLOP/s in matrix units. ?: not confirmed. "
        "One in full: tokenroof devices NAME",
        "{count} 件。FP16 は行列演算器の密な TFLOP/s、? は未確認。"
        "1 件を詳しく: tokenroof devices 名前",
    ),
    # One device
    "devices.kind": ("kind", "種類"),
    "devices.kind_gpu": ("graphics card", "グラフィックカード"),
    "devices.kind_apu": ("GPU on the system's memory", "システムのメモリを使う GPU"),
    "devices.kind_soc": ("chip with its own memory", "メモリ一体のチップ"),
    "devices.kind_cpu": ("processor", "プロセッサ"),
    "devices.kind_accelerator": ("accelerator", "アクセラレータ"),
    "devices.kind_memory": ("memory", "メモリ"),
    "devices.bandwidth_gb_s": ("bandwidth", "メモリ帯域"),
    "devices.published": ("published", "公表値"),
    "devices.nobody": ("by nobody", "なし"),
    "devices.bus": ("bus x data rate", "バス幅 x 転送速度"),
    "devices.computed": (
        "{bits} bit x {rate} MT/s = {bandwidth}",
        "{bits} bit x {rate} MT/s = {bandwidth}",
    ),
    "devices.memory_gb": ("memory", "メモリ"),
    "devices.memory_of_owner": ("{type}, as the owner chose", "{type}(容量は構成による)"),
    "devices.memory_type": ("memory type", "メモリの型"),
    "devices.bus_width_bits": ("bus width", "バス幅"),
    "devices.data_rate_mtps": ("data rate", "転送速度"),
    "devices.fp16_tflops": ("FP16 (dense)", "FP16(密)"),
    "devices.fp32_tflops": ("FP32", "FP32"),
    "devices.int8_tops": ("INT8 (dense)", "INT8(密)"),
    "devices.power_w": ("power", "電力"),
    "devices.link_gb_s": ("link to the host", "ホストとの接続"),
    "devices.year": ("year", "年"),
    "devices.unknown": ("unknown", "不明"),
    "devices.unverified": ("{value} (not confirmed)", "{value}(未確認)"),
    "devices.heading_sources": ("Where the figures come from", "数値の出典"),
    "devices.heading_note": ("To know", "注意"),
    "devices.heading_names": ("Also found as", "ほかの名前"),
    "devices.heading_use": ("To use it", "使うには"),
}
