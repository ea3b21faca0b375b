"""What the reader of model files says: errors first, then what it merely notices."""

from __future__ import annotations

from tokenroof.words import Catalogue

_ERRORS: Catalogue = {
    # Not there, or not to be had
    "gguf.not_found": (
        "{path} does not exist; check the path.",
        "{path} はありません。パスを確かめてください。",
    ),
    "gguf.not_a_file": (
        "{path} is not a regular file; give the path of a GGUF file or of a folder with one.",
        "{path} は通常のファイルではありません。"
        "GGUF ファイルか、それを 1 つ含むフォルダを指定してください。",
    ),
    "gguf.unreadable": (
        "{path} cannot be read ({reason}); check its permissions and the disk.",
        "{path} を読めません({reason})。アクセス権とディスクを確かめてください。",
    ),
    "gguf.changed": (
        "{path} changed while it was being read; wait until its download or copy has ended, "
        "then try again.",
        "{path} は読み込み中に変更されました。"
        "ダウンロードやコピーが終わってから、もう一度試してください。",
    ),
    "gguf.deadline": (
        "{path}: reading the header took longer than {seconds} s and was stopped at byte "
        "{offset:,}; the file is damaged, or its disk is very slow.",
        "{path}: ヘッダの読み込みが {seconds} 秒を超えたため、{offset:,} バイト目で中止しました。"
        "ファイルが壊れているか、ディスクが非常に遅い状態です。",
    ),
    "gguf.no_model_in_folder": (
        "{path} holds no .gguf file; give the path of a model.",
        "{path} に .gguf ファイルがありません。モデルのパスを指定してください。",
    ),
    "gguf.several_models": (
        "{path} holds several models; name one of them: {listed}.",
        "{path} には複数のモデルがあります。次のどれかを指定してください: {listed}",
    ),
    # Not a GGUF file
    "gguf.empty": (
        "{path} is empty (0 bytes); its download failed, so fetch it again.",
        "{path} は空(0 バイト)です。ダウンロードに失敗しています。もう一度取得してください。",
    ),
    "gguf.too_short": (
        "{path} has {found} {found:byte|bytes}, and a GGUF header needs at least {allowed}; its "
        "download is incomplete, so fetch it again.",
        "{path} は {found} バイトしかありません。GGUF ヘッダには少なくとも {allowed} バイトが"
        "必要です。ダウンロードが途中で終わっています。もう一度取得してください。",
    ),
    "gguf.is_web_page": (
        "{path} is a web page, not a model: the download saved the page instead of the file; "
        "fetch it from the direct link (on Hugging Face: resolve, not blob).",
        "{path} はモデルではなく Web ページです。ファイルの代わりにページが保存されています。"
        "直接のリンク(Hugging Face では blob ではなく resolve)から取得してください。",
    ),
    "gguf.is_xml": (
        "{path} is an XML document, not a model: most likely a server's error message that was "
        "saved in place of the file; fetch it again.",
        "{path} はモデルではなく XML 文書です。ファイルの代わりにサーバーのエラーが保存されたと"
        "思われます。もう一度取得してください。",
    ),
    "gguf.is_json": (
        "{path} is JSON, not a model: a server's error message or a configuration file; "
        "give the .gguf file itself.",
        "{path} はモデルではなく JSON です。サーバーのエラーか設定ファイルと思われます。"
        ".gguf ファイルそのものを指定してください。",
    ),
    "gguf.is_git_lfs": (
        "{path} is a Git LFS pointer, which stands for the model; run `git lfs pull` to get it.",
        "{path} は Git LFS のポインターで、モデル本体ではありません。"
        "`git lfs pull` で本体を取得してください。",
    ),
    "gguf.is_zip": (
        "{path} is a ZIP archive, as PyTorch checkpoints are, not GGUF; unpack it, or convert "
        "it with llama.cpp's convert_hf_to_gguf.py.",
        "{path} は GGUF ではなく ZIP(PyTorch のチェックポイントなど)です。展開するか、"
        "llama.cpp の convert_hf_to_gguf.py で変換してください。",
    ),
    "gguf.is_pickle": (
        "{path} is a Python pickle, as old PyTorch checkpoints are, not GGUF; convert it with "
        "llama.cpp's convert_hf_to_gguf.py.",
        "{path} は GGUF ではなく Python の pickle(古い PyTorch のチェックポイントなど)です。"
        "llama.cpp の convert_hf_to_gguf.py で変換してください。",
    ),
    "gguf.is_safetensors": (
        "{path} is a safetensors file, not GGUF; convert it with llama.cpp's "
        "convert_hf_to_gguf.py.",
        "{path} は GGUF ではなく safetensors です。"
        "llama.cpp の convert_hf_to_gguf.py で変換してください。",
    ),
    "gguf.is_old_ggml": (
        "{path} is in the GGML format (GGML, GGMF, GGJT, GGLA) that came before GGUF and that "
        "llama.cpp no longer reads; get a GGUF version of the model.",
        "{path} は GGUF より前の GGML 形式(GGML、GGMF、GGJT、GGLA)で、llama.cpp は"
        "もう読めません。GGUF 版のモデルを入手してください。",
    ),
    "gguf.is_reversed": (
        "{path} has the GGUF magic in reversed byte order, which no converter writes; "
        "get the file again.",
        "{path} は GGUF の識別子のバイト順が逆です。そのように書く変換ツールはありません。"
        "もう一度取得してください。",
    ),
    "gguf.is_compressed": (
        "{path} is a compressed archive, not GGUF; unpack it first.",
        "{path} は GGUF ではなく圧縮ファイルです。先に展開してください。",
    ),
    "gguf.is_hdf5": (
        "{path} is an HDF5 file, as Keras models are, not GGUF; get a GGUF version of the model.",
        "{path} は GGUF ではなく HDF5(Keras のモデルなど)です。GGUF 版のモデルを入手してください。",
    ),
    "gguf.is_zeros": (
        "{path} begins with zeros only: its space was reserved, and the download never filled "
        "it; fetch it again.",
        "{path} の先頭はすべて 0 です。領域だけが確保され、ダウンロードされていません。"
        "もう一度取得してください。",
    ),
    "gguf.is_unknown": (
        '{path} is not a GGUF file: it begins with "{start}" instead of "GGUF"; '
        "check that this is the model.",
        "{path} は GGUF ファイルではありません。先頭が「GGUF」ではなく「{start}」です。"
        "モデルのファイルか確かめてください。",
    ),
    # A version that is not read
    "gguf.version_0": (
        "{path} says that it is GGUF version 0, which does not exist; the file is damaged, "
        "so fetch it again.",
        "{path} は GGUF バージョン 0 とされていますが、そのバージョンはありません。"
        "ファイルが壊れています。もう一度取得してください。",
    ),
    "gguf.version_1": (
        "{path} is GGUF version 1 (August 2023), whose lengths are 32 bits wide and which "
        "llama.cpp no longer reads; get a newer version of the file.",
        "{path} は GGUF バージョン 1(2023 年 8 月)です。長さが 32 ビットで書かれていて、"
        "llama.cpp ももう読めません。新しい版のファイルを入手してください。",
    ),
    "gguf.version_future": (
        "{path} says that it is GGUF version {found}, and only 2 and 3 are known; "
        "update tokenroof, or fetch the file again if it is damaged.",
        "{path} は GGUF バージョン {found} とされています。読めるのは 2 と 3 だけです。"
        "tokenroof を更新するか、壊れているなら取得し直してください。",
    ),
    # Lengths and counts that cannot be true
    "gguf.count_too_large": (
        "{path}: {field} at byte {offset:,} is {found:,}, and the file can hold at most "
        "{allowed:,}; it is damaged, or its download is incomplete.",
        "{path}: {offset:,} バイト目の {field} が {found:,} ですが、このファイルには最大でも "
        "{allowed:,} 個しか入りません。壊れているか、ダウンロードが途中で終わっています。",
    ),
    "gguf.past_end": (
        "{path} ends inside its header: {field} at byte {offset:,} needs {found:,} bytes and "
        "{allowed:,} remain; its download is incomplete, or it is damaged.",
        "{path} はヘッダの途中で終わっています。{offset:,} バイト目の {field} には "
        "{found:,} バイト必要ですが、残りは {allowed:,} バイトです。"
        "ダウンロードが途中で終わっているか、壊れています。",
    ),
    "gguf.string_past_end": (
        "{path}: a string of {field} at byte {offset:,} claims {found:,} bytes and {allowed:,} "
        "remain; the file is damaged, or its download is incomplete.",
        "{path}: {offset:,} バイト目の {field} の文字列は {found:,} バイトとされていますが、"
        "残りは {allowed:,} バイトです。壊れているか、ダウンロードが途中で終わっています。",
    ),
    "gguf.array_past_end": (
        "{path}: the array {field} at byte {offset:,} claims {found:,} elements and the rest of "
        "the file holds at most {allowed:,}; it is damaged, or its download is incomplete.",
        "{path}: {offset:,} バイト目の配列 {field} は {found:,} 要素とされていますが、"
        "ファイルの残りには最大でも {allowed:,} 要素しか入りません。"
        "壊れているか、ダウンロードが途中で終わっています。",
    ),
    "gguf.name_too_long": (
        "{path}: the name of {field} at byte {offset:,} claims {found:,} bytes, and {allowed:,} "
        "are allowed; the file is damaged.",
        "{path}: {offset:,} バイト目の {field} の名前は {found:,} バイトとされていますが、"
        "上限は {allowed:,} バイトです。ファイルが壊れています。",
    ),
    "gguf.nested_too_deep": (
        "{path}: the array {field} holds arrays {found} deep at byte {offset:,}, and {allowed} "
        "are allowed; the file is damaged or made to do harm.",
        "{path}: 配列 {field} は {offset:,} バイト目で {found} 重の入れ子です(上限 {allowed})。"
        "ファイルが壊れているか、悪意をもって作られています。",
    ),
    "gguf.unknown_value_type": (
        "{path}: {field} has value type {found} at byte {offset:,}, and types end at {allowed}; "
        "what follows cannot be read. The file is damaged, or newer than this tokenroof.",
        "{path}: {offset:,} バイト目の {field} は値の型 {found} ですが、型は {allowed} までです。"
        "以降は読めません。ファイルが壊れているか、この tokenroof より新しいものです。",
    ),
    "gguf.unknown_element_type": (
        "{path}: the array {field} has element type {found} at byte {offset:,}, and types end at "
        "{allowed}; what follows cannot be read. The file is damaged, or newer than this "
        "tokenroof.",
        "{path}: {offset:,} バイト目の配列 {field} は要素の型が {found} ですが、"
        "型は {allowed} までです。以降は読めません。"
        "ファイルが壊れているか、この tokenroof より新しいものです。",
    ),
    "gguf.too_many_dimensions": (
        "{path}: {field} claims {found:,} dimensions at byte {offset:,}, and {allowed} are "
        "allowed; the file is damaged.",
        "{path}: {offset:,} バイト目の {field} は {found:,} 次元とされていますが、"
        "上限は {allowed} です。ファイルが壊れています。",
    ),
    "gguf.alignment_zero": (
        "{path}: general.alignment is {found}, so nothing says where the data begin; "
        "the file is damaged.",
        "{path}: general.alignment が {found} で、データの始まりが決まりません。"
        "ファイルが壊れています。",
    ),
    "gguf.tensor_too_large": (
        "{path}: tensor {name} of shape {shape} has {found:,} elements, more than any file "
        "holds; the file is damaged.",
        "{path}: テンソル {name}(形状 {shape})は {found:,} 要素で、どんなファイルにも"
        "入りません。ファイルが壊れています。",
    ),
    "gguf.tensor_too_far": (
        "{path}: tensor {name} begins {found:,} bytes into the data, and the file has "
        "{allowed:,} bytes; it is damaged.",
        "{path}: テンソル {name} はデータの {found:,} バイト目から始まるとされていますが、"
        "ファイルは {allowed:,} バイトです。壊れています。",
    ),
    # Split sets
    "gguf.part_missing": (
        "{path} is one of {total} {total:part|parts}, and part {number} ({missing}) is not beside "
        "it; fetch it, for nothing can be said of an incomplete set.",
        "{path} は {total} 分割の 1 つですが、{number} 番目の {missing} が同じフォルダに"
        "ありません。揃っていない組については何も言えません。取得してください。",
    ),
    "gguf.split_name": (
        "{path} is one of {total} {total:part|parts}, and its name does not lead to the others; "
        "name the parts as llama-gguf-split does: NAME-00001-of-{total:05d}.gguf.",
        "{path} は {total} 分割の 1 つですが、名前から他の部分を見つけられません。"
        "llama-gguf-split と同じく NAME-00001-of-{total:05d}.gguf のように名付けてください。",
    ),
    "gguf.split_disagrees": (
        "{path}: {key} is {found} where {expected} is expected; a part is missing, renamed, or "
        "of another model.",
        "{path}: {key} が {found} です({expected} のはず)。"
        "部分が欠けているか、名前が変えられたか、別のモデルのものです。",
    ),
    # Keys with another type than their readers need
    "gguf.wrong_type": (
        "{key} holds {found} where {expected} is needed; the file was not written by a usual "
        "converter.",
        "{key} は {expected} のはずですが、{found} が入っています。"
        "通常の変換ツールで作られたファイルではありません。",
    ),
    "gguf.array_too_long": (
        "{key} is an array of {found:,} elements where at most {allowed:,} make sense; "
        "the file is damaged.",
        "{key} は {found:,} 要素の配列ですが、意味があるのは {allowed:,} 要素までです。"
        "ファイルが壊れています。",
    ),
}

_NOTICES: Catalogue = {
    "gguf.more_problems": (
        "There are {count:,} more problems like these in the file.",
        "このファイルには、ほかに {count:,} 件の問題があります。",
    ),
    "gguf.partial": (
        "The file is {present} present; {missing} are missing, so the download is incomplete.",
        "ファイルは {present} しか揃っていません。{missing} 足りません(ダウンロードが途中です)。",
    ),
    "gguf.data_past_end": (
        "With general.alignment {alignment:,} the data section would begin at byte {found:,}, "
        "past the end of the file ({allowed:,} bytes); the alignment is damaged.",
        "general.alignment が {alignment:,} だとデータは {found:,} バイト目から始まり、"
        "ファイルの終わり({allowed:,} バイト)を越えます。alignment が壊れています。",
    ),
    "gguf.big_endian": (
        "The file is big-endian; llama.cpp loads it only on big-endian machines.",
        "ファイルはビッグエンディアンです。"
        "llama.cpp はビッグエンディアンのマシンでしか読み込めません。",
    ),
    "gguf.split_in_name_only": (
        "{name} is named as a part of a split set, and its header knows of no other parts; "
        "it is read as a whole model.",
        "{name} は分割ファイルの名前ですが、ヘッダには他の部分の記載がありません。"
        "1 つのモデルとして読みます。",
    ),
    "gguf.empty_key": (
        "Key {number} of the metadata has an empty name; llama.cpp refuses the file.",
        "メタデータの {number} 番目のキーの名前が空です。llama.cpp はこのファイルを拒みます。",
    ),
    "gguf.odd_key": (
        "The metadata key {key} holds control characters or bytes that are not UTF-8.",
        "メタデータのキー {key} に、制御文字か UTF-8 でないバイトがあります。",
    ),
    "gguf.duplicate_key": (
        "The metadata key {key} occurs more than once; its first value is used, and llama.cpp "
        "refuses the file.",
        "メタデータのキー {key} が重複しています。最初の値を使います。"
        "llama.cpp はこのファイルを拒みます。",
    ),
    "gguf.odd_bool": (
        "The value of {key} is a bool of {found}, neither 0 nor 1; it is read as true.",
        "{key} の値は bool ですが {found} です(0 でも 1 でもありません)。真として読みます。",
    ),
    "gguf.not_utf8": (
        "The value of {key} is not UTF-8; the bytes that are not are shown as \ufffd.",
        "{key} の値は UTF-8 ではありません。読めないバイトは \ufffd で示します。",
    ),
    "gguf.control_characters": (
        "The value of {key} holds control characters; they are shown as escapes.",
        "{key} の値に制御文字があります。エスケープして示します。",
    ),
    "gguf.nested_array": (
        "{key} is an array of arrays; llama.cpp refuses the file.",
        "{key} は配列の配列です。llama.cpp はこのファイルを拒みます。",
    ),
    "gguf.alignment_type": (
        "general.alignment is of type {found} where u32 is expected; {used} is used, and "
        "llama.cpp refuses the file.",
        "general.alignment の型が {found} です(u32 のはず)。{used} を使います。"
        "llama.cpp はこのファイルを拒みます。",
    ),
    "gguf.alignment_odd": (
        "general.alignment is {found:,}; GGUF asks for a multiple of 8 and llama.cpp for a "
        "power of two.",
        "general.alignment が {found:,} です。"
        "GGUF は 8 の倍数を、llama.cpp は 2 のべき乗を求めます。",
    ),
    "gguf.empty_name": (
        "Tensor {number} has an empty name.",
        "{number} 番目のテンソルの名前が空です。",
    ),
    "gguf.long_name": (
        "The name of tensor {name} has {found:,} bytes; llama.cpp loads at most {allowed}.",
        "テンソル {name} の名前は {found:,} バイトです。"
        "llama.cpp が読めるのは {allowed} バイトまでです。",
    ),
    "gguf.odd_name": (
        "The name of tensor {name} holds control characters or bytes that are not UTF-8.",
        "テンソル {name} の名前に、制御文字か UTF-8 でないバイトがあります。",
    ),
    "gguf.duplicate_tensor": (
        "Tensor {name} occurs more than once; it is counted once, and llama.cpp refuses the file.",
        "テンソル {name} が重複しています。1 度だけ数えます。llama.cpp はこのファイルを拒みます。",
    ),
    "gguf.dimensions": (
        "Tensor {name} has {found} dimensions; llama.cpp loads at most {allowed}.",
        "テンソル {name} は {found} 次元です。llama.cpp が読めるのは {allowed} 次元までです。",
    ),
    "gguf.zero_dimension": (
        "Tensor {name} has a dimension of 0 and takes no bytes.",
        "テンソル {name} には 0 の次元があり、0 バイトです。",
    ),
    "gguf.broken_row": (
        "The rows of tensor {name} have {found:,} elements, not a multiple of the {allowed} in "
        "a block of {type}; its bytes are counted in whole blocks.",
        "テンソル {name} の行は {found:,} 要素で、{type} のブロック({allowed} 要素)の倍数では"
        "ありません。ブロック単位に切り上げて数えます。",
    ),
    "gguf.unknown_type": (
        "Tensor {name} has {type}, which is unknown; its size of {bytes} {bytes:byte|bytes} is "
        "inferred from what follows it.",
        "テンソル {name} の型({type})は未知です。"
        "大きさ({bytes} バイト)は次の位置から推定しました。",
    ),
    "gguf.withdrawn_type": (
        "Tensor {name} has type {type}, which llama.cpp no longer reads; its size of {bytes} "
        "{bytes:byte|bytes} is inferred from what follows it.",
        "テンソル {name} の型 {type} は、llama.cpp ではもう読めません。"
        "大きさ({bytes} バイト)は次の位置から推定しました。",
    ),
    "gguf.unaligned": (
        "Tensor {name} begins at byte {offset:,}, not at a multiple of the alignment "
        "{alignment:,}; llama.cpp refuses the file.",
        "テンソル {name} は {offset:,} バイト目から始まり、alignment {alignment:,} の倍数では"
        "ありません。llama.cpp はこのファイルを拒みます。",
    ),
    "gguf.overlap": (
        "Tensor {name} overlaps {other} by {bytes:,} bytes, which are counted once; llama.cpp "
        "refuses the file.",
        "テンソル {name} は {other} と {bytes:,} バイト重なっています。重なりは 1 度だけ数えます。"
        "llama.cpp はこのファイルを拒みます。",
    ),
    "gguf.gap": (
        "{bytes:,} bytes before tensor {name} belong to no tensor; llama.cpp refuses the file.",
        "テンソル {name} の前の {bytes:,} バイトは、どのテンソルのものでもありません。"
        "llama.cpp はこのファイルを拒みます。",
    ),
    "gguf.out_of_order": (
        "The tensors do not lie in the order in which they are listed; llama.cpp refuses the file.",
        "テンソルの並びが一覧の順と違います。llama.cpp はこのファイルを拒みます。",
    ),
}

MESSAGES: Catalogue = {**_ERRORS, **_NOTICES}
