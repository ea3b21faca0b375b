"""Sentences of the verb `doctor`: what it shows, what it finds, what to do about it."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "doctor.short": (
        "examine this machine: what would falsify a measurement",
        "このマシンを診る: 何が計測を狂わせるか",
    ),
    "doctor.about": (
        "Examine this machine: processor, memory and its bandwidth as claimed and as measured, "
        "GPUs, engines, models, what else runs now; and say what would falsify a measurement or "
        "holds the machine back, and what to do about it. Takes about 6 seconds.\n\n"
        "The page can be shared: it names no person, no host and no serial number.",
        "このマシンを調べます。プロセッサ、メモリとその帯域(公称と実測)、GPU、エンジン、モデル、"
        "いま動いている他の作業を調べ、計測を狂わせるものや速さを抑えているものと、その対処を"
        "示します。約 6 秒かかります。\n\n"
        "結果はそのまま人に見せられます。人名、ホスト名、シリアル番号は含みません。",
    ),
    "doctor.private_option": (
        "Add the names of host and user, and the home folder.",
        "ホスト名、ユーザー名、ホームフォルダも加えます。",
    ),
    # Said while it works
    "doctor.looking": ("looking at the machine", "マシンを調べています"),
    "doctor.reading": ("measuring the memory", "メモリを測っています"),
    "doctor.gpus_looking": ("looking for GPUs", "GPU を探しています"),
    "doctor.engines_looking": ("looking for engines", "エンジンを探しています"),
    "doctor.models_looking": ("looking for models", "モデルを探しています"),
    # Parts of the page
    "doctor.heading_machine": ("This machine", "このマシン"),
    "doctor.heading_memory": ("Memory", "メモリ"),
    "doctor.heading_gpus": ("GPUs", "GPU"),
    "doctor.heading_engines": ("Engines", "エンジン"),
    "doctor.heading_models": ("Models", "モデル"),
    "doctor.heading_load": ("Just now", "いまの状態"),
    "doctor.heading_falsifies": (
        "Would falsify a measurement now",
        "いま測ると狂うもの",
    ),
    "doctor.heading_limits": ("Holds this machine back", "このマシンを抑えているもの"),
    "doctor.nothing_found": (
        "Nothing was found that would falsify a measurement.",
        "計測を狂わせるものは見つかりませんでした。",
    ),
    # The machine
    "doctor.unknown": ("unknown", "不明"),
    "doctor.none": ("none", "なし"),
    "doctor.host": ("host", "ホスト"),
    "doctor.user": ("user", "ユーザー"),
    "doctor.home": ("home", "ホーム"),
    "doctor.board": ("machine", "機種"),
    "doctor.os": ("system", "OS"),
    "doctor.kernel": ("{os}, kernel {kernel}", "{os}、カーネル {kernel}"),
    "doctor.runs_in": ("runs in", "実行環境"),
    "doctor.virtual_machine": ("a virtual machine ({kind})", "仮想マシン({kind})"),
    "doctor.virtual_machine_of": ("a virtual machine", "仮想マシン"),
    "doctor.container": ("a container ({kind})", "コンテナ({kind})"),
    "doctor.processor": ("processor", "プロセッサ"),
    "doctor.sockets": ("{name}, {count} of them", "{name}({count} 個)"),
    "doctor.cores": ("cores", "コア"),
    "doctor.core_counts": (
        "{physical}, {logical} {logical:thread|threads}, {usable} usable",
        "{physical} 個、{logical} スレッド、使えるのは {usable}",
    ),
    "doctor.quota_of": ("{cores}; a quota of {quota}", "{cores}、上限 {quota}"),
    "doctor.cache": ("last-level cache", "最終段キャッシュ"),
    "doctor.nodes_fact": ("memory nodes", "メモリノード"),
    "doctor.node": ("{cores} {cores:core|cores} with {memory}", "{cores} コアと {memory}"),
    "doctor.power": ("power", "電源"),
    "doctor.governor_fact": ("governor {governor}", "ガバナー {governor}"),
    "doctor.profile_low": ("low-power profile", "省電力プロファイル"),
    "doctor.profile_balanced": ("balanced profile", "バランス プロファイル"),
    "doctor.profile_high": ("performance profile", "高性能プロファイル"),
    "doctor.boost_on": ("boost on", "ブースト有効"),
    "doctor.boost_is_off": ("boost off", "ブースト無効"),
    "doctor.on_battery": ("on battery", "バッテリー駆動"),
    "doctor.plugged": ("plugged in", "電源接続"),
    # Memory
    "doctor.size": ("size", "容量"),
    "doctor.size_free": ("{total}, {free} available", "{total}(空き {free})"),
    "doctor.size_limited": (
        "{total}, as the container allows; {free} available",
        "{total}(コンテナの上限、空き {free})",
    ),
    "doctor.modules": ("modules", "モジュール"),
    "doctor.module_list": ("{modules} ({source})", "{modules}({source})"),
    "doctor.module": ("{count} x {size} {type} at {rate}", "{count} x {size} {type} {rate}"),
    "doctor.rate": ("{rate} MT/s", "{rate} MT/s"),
    "doctor.slots": ("{populated} of {slots} {slots:slot|slots}", "{slots} スロット中 {populated}"),
    "doctor.modules_unknown": (
        "not told here (Linux tells root: sudo tokenroof doctor)",
        "ここでは分かりません(Linux では root に限り分かります: sudo tokenroof doctor)",
    ),
    "doctor.modules_untold": ("not told here", "ここでは分かりません"),
    "doctor.channels_fact": ("channels populated", "使用チャネル"),
    "doctor.channels_of": ("{populated} of {most}", "{most} のうち {populated}"),
    "doctor.claimed": ("bandwidth claimed", "公称帯域"),
    "doctor.at_most": ("at most {bandwidth}", "最大 {bandwidth}"),
    "doctor.rated": (
        "unknown; {device}: {bandwidth} with all channels at their rated speed",
        "不明({device} は全チャネル・定格速度で {bandwidth})",
    ),
    "doctor.measured": ("bandwidth measured", "実測帯域"),
    "doctor.calibrated": ("when calibrated", "較正時の帯域"),
    "doctor.calibrated_on": (
        "{bandwidth} on {date}; 'estimate --on here' takes the better of both",
        "{bandwidth}({date})。「estimate --on here」は両者のうち高い方を使います",
    ),
    "doctor.measured_read": (
        "{bandwidth} read by {threads} {threads:thread|threads}",
        "{bandwidth}({threads} スレッドで読み出し)",
    ),
    "doctor.measured_of_claimed": (
        "{bandwidth} read by {threads} {threads:thread|threads}, {share} of it",
        "{bandwidth}({threads} スレッドで読み出し、公称の {share})",
    ),
    # GPUs
    "doctor.gpu_device": ("in the table", "表での名前"),
    "doctor.gpu_memory_fact": ("memory", "メモリ"),
    "doctor.gpu_unified": ("unified memory", "統合メモリ"),
    "doctor.gpu_memory_free": ("{total}, {free} free", "{total}(空き {free})"),
    "doctor.gpu_carve_out": ("carve-out {own}", "専用領域 {own}"),
    "doctor.gpu_shared": ("usable of the system's {shared}", "システムのうち使えるのは {shared}"),
    "doctor.gpu_bandwidth": ("bandwidth", "帯域"),
    "doctor.gpu_bandwidth_unknown": (
        "unknown: measure it or give --bandwidth",
        "不明: 測るか --bandwidth で指定",
    ),
    "doctor.by_table": ("{bandwidth} by the table", "{bandwidth}(表)"),
    "doctor.by_driver": ("{bandwidth} by its driver", "{bandwidth}(ドライバー)"),
    "doctor.by_memory": ("{bandwidth}, the system's memory", "{bandwidth}(システムのメモリ)"),
    "doctor.gpu_driver": ("driver", "ドライバー"),
    "doctor.gpu_link": ("link", "接続"),
    "doctor.link": (
        "PCIe {generation} x{lanes} now, {most_generation} x{most_lanes} at most",
        "現在 PCIe {generation} x{lanes}、最大 {most_generation} x{most_lanes}",
    ),
    "doctor.gpu_power_fact": ("power limit", "電力上限"),
    "doctor.watts": ("{limit} W of {default} W", "{limit} W(標準 {default} W)"),
    "doctor.watts_alone": ("{limit} W", "{limit} W"),
    # Engines, models, load
    "doctor.engine_versions": ("{version} on {backend}", "{version}({backend})"),
    "doctor.model_counts": ("{count}, {size}", "{count} 個、{size}"),
    "doctor.others_fact": ("used by others", "他の作業の使用率"),
    "doctor.of_all_cores": ("{share} of all cores", "全コアの {share}"),
    "doctor.probes": ("two probes", "2 回の確認"),
    "doctor.probe_pair": (
        "{first} and {second} GB/s: {verdict}",
        "{first} と {second} GB/s: {verdict}",
    ),
    "doctor.undisturbed": ("alike", "ほぼ同じ"),
    "doctor.disturbed": ("unlike", "食い違い"),
    "doctor.fix": ("→ {fix}", "→ {fix}"),
    "doctor.engine_broke": (
        "{engine} cannot be asked ({kind})",
        "{engine} に問い合わせできません({kind})",
    ),
    # Findings
    "doctor.others": (
        "Others use {share} of the cores.",
        "他の作業がコアの {share} を使っています。",
    ),
    "doctor.others_fix": (
        "End or pause what runs beside; tokenroof bench waits for a quiet machine.",
        "他の作業を止めてください。tokenroof bench は静かになるのを待ちます。",
    ),
    "doctor.contended": (
        "Two reads of memory, seconds apart, differ: the slower reached {ratio} of the faster.",
        "数秒おいた 2 回のメモリ読み出しが食い違いました(遅い方は速い方の {ratio})。",
    ),
    "doctor.contended_fix": (
        "Something else uses cores or memory, maybe outside this container or virtual machine: "
        "run the doctor again, and measure when it no longer says this.",
        "コンテナや仮想マシンの外も含め、何かがコアかメモリを使っています。もう一度診て、"
        "この表示が消えてから測ってください。",
    ),
    "doctor.battery": (
        "The machine runs on its battery, which lowers clocks.",
        "バッテリーで動いており、クロックが下がります。",
    ),
    "doctor.battery_fix": ("Plug it in.", "電源につないでください。"),
    "doctor.low_power": (
        "A low-power profile is on.",
        "省電力プロファイルが有効です。",
    ),
    "doctor.low_power_fix": (
        "Choose balanced or performance in the system's power settings.",
        "システムの電源設定でバランスか高性能を選んでください。",
    ),
    "doctor.governor": (
        "The frequency governor is {governor}: clocks follow the load, so short runs start slow.",
        "周波数ガバナーが {governor} です。クロックが負荷に追従するため、短い計測は遅く出ます。",
    ),
    "doctor.governor_fix": (
        "sudo cpupower frequency-set -g performance",
        "sudo cpupower frequency-set -g performance",
    ),
    "doctor.saves_energy": (
        "The processor is set to save energy: its clocks stay low (energy preference 'power').",
        "プロセッサが省電力に設定され、クロックが低く抑えられています"
        "(energy preference が power)。",
    ),
    "doctor.saves_energy_fix": (
        "powerprofilesctl set performance",
        "powerprofilesctl set performance",
    ),
    "doctor.quota": (
        "The container may use the time of {quota} of {cores} {cores:core|cores}; more threads "
        "are stopped in turn.",
        "コンテナが使えるのは {cores} コア中 {quota} コア分です。"
        "スレッドを増やすと順番に止められます。",
    ),
    "doctor.quota_fix": (
        "Give it more (docker run --cpus {cores}), or use at most {quota} {quota:thread|threads}.",
        "上限を上げるか(docker run --cpus {cores})、スレッドを {quota} 以下にしてください。",
    ),
    "doctor.virtual": (
        "This is a virtual machine: neighbours on its host share cores and memory bandwidth.",
        "仮想マシンです。同じホストの他の仮想マシンとコアやメモリ帯域を分け合っています。",
    ),
    "doctor.virtual_fix": (
        "Repeat measurements at other times; prefer a host of its own.",
        "時間を変えて測り直してください。できれば専用のホストを使ってください。",
    ),
    "doctor.little_free": (
        "Only {free} of {total} of memory are available: a large model would be swapped out.",
        "メモリの空きが {total} のうち {free} しかありません。"
        "大きなモデルはスワップに追い出されます。",
    ),
    "doctor.little_free_fix": (
        "Close what holds memory, or choose a smaller model.",
        "メモリを使っているものを閉じるか、小さいモデルを選んでください。",
    ),
    "doctor.swap": (
        "{used} are swapped out; what comes back while a model runs slows it.",
        "{used} がスワップに出ています。実行中に戻ってくると遅くなります。",
    ),
    "doctor.swap_fix": (
        "Close programs, then empty it: sudo swapoff -a && sudo swapon -a (Linux).",
        "プログラムを閉じてから空にしてください: sudo swapoff -a && sudo swapon -a(Linux)。",
    ),
    "doctor.nodes": (
        "Memory lies on {nodes} {nodes:node|nodes}: speed depends on where a run's pages happen "
        "to lie.",
        "メモリが {nodes} ノードに分かれています。ページの置かれた場所で速さが変わります。",
    ),
    "doctor.nodes_fix": (
        "Start the engine with numactl --interleave=all, or its option --numa distribute, and "
        "drop the page cache when you change it.",
        "エンジンを numactl --interleave=all か --numa distribute で起動し、変えたときはページ"
        "キャッシュを捨ててください。",
    ),
    "doctor.channels": (
        "{populated} of the {most} memory channels hold a module.",
        "プロセッサの {most} メモリチャネルのうち {populated} にしかモジュールがありません。",
    ),
    "doctor.channels_fix": (
        "Put a module into each channel: decoding gets faster in proportion.",
        "全チャネルにモジュールを挿してください。生成がその分だけ速くなります。",
    ),
    "doctor.slow_modules": (
        "The memory runs at {rate} MT/s and could do {rated}.",
        "メモリは {rate} MT/s で動いていますが、{rated} まで出せます。",
    ),
    "doctor.slow_modules_fix": (
        "Switch its profile on in the firmware (XMP, EXPO or DOCP), where the board allows it.",
        "ファームウェアで XMP、EXPO、DOCP を有効にしてください(対応していれば)。",
    ),
    "doctor.below_claim": (
        "Reading reached {measured}, only {share} of the {claimed} that the modules could move.",
        "読み出しは {measured} で、モジュールが出せる {claimed} の {share} しかありません。",
    ),
    "doctor.below_claim_fix": (
        "Look for a module that is missing, unlike the others or in the wrong slot, and for other "
        "load; a processor with few dies cannot read more.",
        "モジュールの抜け、混在、スロット違い、他の負荷を確かめてください。"
        "ダイの少ないプロセッサはこれ以上読めないこともあります。",
    ),
    "doctor.above_claim": (
        "Reading reached {measured}, more than the {claimed} that the modules could move: the "
        "firmware tells wrongly of them.",
        "読み出しが {measured} で、モジュールが出せるはずの {claimed} を超えました。"
        "ファームウェアの情報が誤っています。",
    ),
    "doctor.boost_off": (
        "The cores may not run above their base clock.",
        "コアが定格クロックより上で動けない設定です。",
    ),
    "doctor.boost_off_fix": (
        "Allow it in the firmware or the kernel (cpufreq/boost, intel_pstate/no_turbo).",
        "ファームウェアかカーネル(cpufreq/boost、intel_pstate/no_turbo)で許可してください。",
    ),
    "doctor.memory_limit": (
        "The container may use {limit} of memory.",
        "コンテナが使えるメモリは {limit} です。",
    ),
    "doctor.memory_limit_fix": (
        "Give it more (docker run --memory), if a model does not fit.",
        "モデルが入らなければ増やしてください(docker run --memory)。",
    ),
    "doctor.wsl": (
        "This is WSL: it gets half of the memory by default, and files on Windows drives load "
        "slowly.",
        "WSL です。既定ではメモリの半分しか使えず、Windows 側のファイルの読み込みは遅くなります。",
    ),
    "doctor.wsl_fix": (
        "Raise memory= in .wslconfig, and keep models on the Linux side.",
        ".wslconfig の memory= を増やし、モデルは Linux 側に置いてください。",
    ),
    "doctor.gpu_busy": (
        "{gpu} is busy ({share}).",
        "{gpu} が使用中です({share})。",
    ),
    "doctor.gpu_busy_fix": (
        "End what runs on it; see nvidia-smi, nvtop or the task manager.",
        "GPU を使っているものを止めてください(nvidia-smi、nvtop、タスクマネージャーで確認)。",
    ),
    "doctor.gpu_memory": (
        "{used} of {gpu}'s memory are in use: a model may spill into slower memory.",
        "{gpu} のメモリのうち {used} が使用中です。モデルが遅いメモリにあふれることがあります。",
    ),
    "doctor.gpu_held_down": (
        "The clocks of {gpu} are held down by power or heat.",
        "{gpu} のクロックが電力か温度のために抑えられています。",
    ),
    "doctor.gpu_held_down_fix": (
        "Let it cool, and look at its power limit and supply.",
        "冷ましてから、電力上限と電源を確かめてください。",
    ),
    "doctor.gpu_power": (
        "{gpu} is limited to {limit} W of {default} W: prefill suffers first, decode less.",
        "{gpu} の電力が {default} W のうち {limit} W に制限されています。"
        "まず prefill が遅くなります。",
    ),
    "doctor.gpu_power_fix": (
        "sudo nvidia-smi -pl WATTS, or your vendor's tool, raises it.",
        "sudo nvidia-smi -pl ワット数、または各社のツールで上げられます。",
    ),
    "doctor.gpu_lanes": (
        "{gpu} has {lanes} of {most} PCIe lanes: loading and layers on the CPU suffer.",
        "{gpu} の PCIe が {most} レーン中 {lanes} です。"
        "読み込みや CPU への割り振りが遅くなります。",
    ),
    "doctor.gpu_lanes_fix": (
        "Try another slot, reseat the card, or drop the riser.",
        "別のスロットに挿す、挿し直す、ライザーを外すなどを試してください。",
    ),
    "doctor.unified": (
        "{gpu} may use {usable} of {total} of memory.",
        "{gpu} が使えるメモリは {total} のうち {usable} です。",
    ),
    "doctor.unified_apple_fix": (
        "sudo sysctl iogpu.wired_limit_mb={mib} raises it until the next start.",
        "sudo sysctl iogpu.wired_limit_mb={mib} で増やせます(再起動まで)。",
    ),
    "doctor.unified_amd_fix": (
        "The kernel parameter ttm.pages_limit={pages} raises the GTT; keep the carve-out of the "
        "firmware small.",
        "カーネルパラメーター ttm.pages_limit={pages} で GTT を増やせます。"
        "ファームウェアの専用領域は小さくしてください。",
    ),
    "doctor.unified_windows_fix": (
        "The firmware, or AMD's software (variable graphics memory), raises its part.",
        "ファームウェアか AMD のソフト(Variable Graphics Memory)で増やせます。",
    ),
    "doctor.gpu_unused": (
        "{gpu} is there, but every engine found computes on the CPU alone.",
        "{gpu} がありますが、見つかったエンジンはどれも CPU だけで計算します。",
    ),
    "doctor.gpu_unused_fix": (
        "Install a build with CUDA, ROCm, Vulkan or Metal.",
        "CUDA、ROCm、Vulkan、Metal に対応したビルドを入れてください。",
    ),
    "doctor.no_engine": (
        "No engine was found, so nothing can be measured here yet.",
        "エンジンが見つからないため、まだ計測できません。",
    ),
    "doctor.no_engine_fix": (
        "Install Ollama or llama.cpp, or llama-cpp-python into tokenroof's own Python.",
        "Ollama か llama.cpp、または tokenroof の Python に llama-cpp-python を入れてください。",
    ),
}
