"""Sentences of the room `library`: finding the model that a name stands for."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "library.no_name": (
        "The model's name is empty; give the path of a GGUF file.",
        "モデル名が空です。GGUF ファイルのパスを指定してください。",
    ),
    "library.not_found": (
        "{name}: there is no such file, folder or installed model, and nothing of a similar name; "
        "`tokenroof models` lists what is here.",
        "{name}: そのようなファイル、フォルダ、インストール済みモデルはなく、"
        "似た名前のものもありません。このマシンにあるものは `tokenroof models` で一覧できます。",
    ),
    "library.not_found_but": (
        "{name}: there is no such file, folder or installed model; the closest names are "
        "{closest}.",
        "{name}: そのようなファイル、フォルダ、インストール済みモデルはありません。"
        "近い名前: {closest}",
    ),
    "library.no_folder": (
        "{name}: the folder {folder} does not exist.",
        "{name}: フォルダ {folder} がありません。",
    ),
    "library.empty_folder": (
        "{folder} holds no GGUF file; give the path of the model's file.",
        "{folder} には GGUF ファイルがありません。モデルファイルのパスを指定してください。",
    ),
    "library.several_models": (
        "{folder} holds {count} {count:model|models}; name one of them: {candidates}.",
        "{folder} には {count} 個のモデルがあります。どれか 1 つを指定してください: {candidates}",
    ),
    "library.not_a_file": (
        "{name} is neither a file nor a folder; give the path of a GGUF file.",
        "{name} はファイルでもフォルダでもありません。GGUF ファイルのパスを指定してください。",
    ),
    "library.unreadable": (
        "{name} cannot be looked at: {reason}.",
        "{name} を調べられません: {reason}",
    ),
    "library.not_local": (
        "{name} is not on this machine, and this needs its weights; download it and give its path.",
        "{name} はこのマシンにありません。この操作には重みが必要です。"
        "ダウンロードしてパスを指定してください。",
    ),
    # Ollama
    "library.found_in_ollama": (
        "{name} is no file; it was found in Ollama's store, as {full}.",
        "{name} というファイルはなく、Ollama の保存先で {full} として見つかりました。",
    ),
    "library.ollama_name": (
        "{name} is not a name of Ollama's; write MODEL:TAG, with NAMESPACE/ or HOST/NAMESPACE/ "
        "before it where needed.",
        "{name} は Ollama のモデル名ではありません。MODEL:TAG の形で、必要なら前に NAMESPACE/ "
        "または HOST/NAMESPACE/ を付けて指定してください。",
    ),
    "library.ollama_not_found": (
        "{name} is in none of Ollama's stores on this machine; `ollama pull {name}` fetches it. "
        "A store elsewhere is named by OLLAMA_MODELS; an Ollama in a container is asked by "
        "{daemon}.",
        "{name} はこのマシンの Ollama の保存先にありません。`ollama pull {name}` で取得できます。"
        "別の保存先は OLLAMA_MODELS で指定してください。コンテナ内の Ollama には {daemon} で"
        "尋ねられます。",
    ),
    "library.ollama_not_found_but": (
        "{name} is in none of Ollama's stores on this machine; the closest names are {closest}.",
        "{name} はこのマシンの Ollama の保存先にありません。近い名前: {closest}",
    ),
    "library.ollama_closed": (
        "{name} was not found, and Ollama's store {folder} may not be read by this user; "
        "ask its daemon instead: ollama://127.0.0.1:11434/{name}.",
        "{name} は見つかりませんでした。Ollama の保存先 {folder} はこの利用者には読めません。"
        "代わりに ollama://127.0.0.1:11434/{name} でデーモンに尋ねてください。",
    ),
    "library.ollama_manifest": (
        "The manifest of {name} is damaged ({path}); `ollama pull {name}` makes it anew.",
        "{name} のマニフェストが壊れています ({path})。`ollama pull {name}` で作り直せます。",
    ),
    "library.ollama_no_blob": (
        "The file of {name} is missing from Ollama's store ({path}); `ollama pull {name}` "
        "fetches it.",
        "{name} のファイルが Ollama の保存先にありません ({path})。"
        "`ollama pull {name}` で取得できます。",
    ),
    "library.ollama_cloud": (
        "{name} runs in Ollama's cloud: its weights are not here, so nothing can be said of what "
        "this machine would read; name a model without -cloud.",
        "{name} は Ollama のクラウドで動くモデルで、重みはここにありません。"
        "このマシンが読む量は分かりません。-cloud の付かないモデルを指定してください。",
    ),
    "library.ollama_not_gguf": (
        "{name} is kept by Ollama as safetensors, not as GGUF; name a GGUF version of it.",
        "{name} は GGUF ではなく safetensors で保存されています。GGUF 版を指定してください。",
    ),
    "library.ollama_no_model": (
        "The manifest of {name} names no model file; it may be an embedding or an unfinished "
        "`ollama create`.",
        "{name} のマニフェストにモデルファイルがありません。"
        "`ollama create` が途中で終わった可能性があります。",
    ),
    "library.projector_apart": (
        "A projector of {size} belongs to this model; it is a file of its own and not counted.",
        "このモデルには {size} のプロジェクタが付属します。別のファイルなので数えていません。",
    ),
    "library.projector_apart_unsized": (
        "A projector belongs to this model; it is a file of its own and not counted.",
        "このモデルにはプロジェクタが付属します。別のファイルなので数えていません。",
    ),
    "library.adapter_apart": (
        "An adapter of {size} belongs to this model; it is a file of its own and not counted.",
        "このモデルには {size} のアダプタが付属します。別のファイルなので数えていません。",
    ),
    "library.draft_apart": (
        "A draft model of {size} belongs to this model; it is a file of its own and not counted.",
        "このモデルには {size} のドラフトモデルが付属します。別のファイルなので数えていません。",
    ),
    "library.served_not_found": (
        "The Ollama at {server} has no model {name}; `ollama list` there shows what it has.",
        "{server} の Ollama に {name} というモデルはありません。"
        "そこで `ollama list` を実行すると一覧できます。",
    ),
    "library.served_not_found_but": (
        "The Ollama at {server} has no model {name}; the closest that it has are {closest}.",
        "{server} の Ollama に {name} というモデルはありません。近い名前: {closest}",
    ),
    "library.served_failed": (
        "The Ollama at {server} fails to answer ({reason}); look into its log, or read the "
        "model's file itself.",
        "{server} の Ollama が答えられません ({reason})。そのログを確認するか、"
        "モデルのファイル自体を読んでください。",
    ),
    "library.served_silent": (
        "The Ollama at {server} does not answer ({reason}); start it with `ollama serve`, or "
        "correct OLLAMA_HOST.",
        "{server} の Ollama が応答しません ({reason})。`ollama serve` で起動するか、"
        "OLLAMA_HOST を直してください。",
    ),
    "library.served_odd": (
        "{server} does not answer as Ollama does: '{field}' is missing or odd; it may be another "
        "program or an old version.",
        "{server} の応答が Ollama と異なります。「{field}」がないか、正しくありません。"
        "別のプログラムか古い版かもしれません。",
    ),
    "library.served_type": (
        "{server} does not know the type of tensor {name} ('{type}'), so its bytes cannot be "
        "counted; update Ollama there, or read the file itself.",
        "{server} はテンソル {name} の型を答えません (「{type}」)。"
        "バイト数を数えられないので、Ollama を更新するか、ファイル自体を読んでください。",
    ),
    # LM Studio
    "library.lmstudio_not_found": (
        "{name} is not in LM Studio's folder; `tokenroof models` lists what is here.",
        "{name} は LM Studio のフォルダにありません。"
        "このマシンにあるものは `tokenroof models` で一覧できます。",
    ),
    "library.lmstudio_not_found_but": (
        "{name} is not in LM Studio's folder; the closest names are {closest}.",
        "{name} は LM Studio のフォルダにありません。近い名前: {closest}",
    ),
    # The Hub
    "library.hub_name": (
        "{name} is not a name on the Hugging Face Hub; write hf:OWNER/REPO/FILE.gguf, with "
        "@REVISION at its end where needed.",
        "{name} は Hugging Face Hub の名前ではありません。hf:OWNER/REPO/FILE.gguf の形で、"
        "必要なら末尾に @REVISION を付けて指定してください。",
    ),
    "library.hub_not_found": (
        "{name} is not on the Hugging Face Hub; check the repository, the file and the revision.",
        "{name} は Hugging Face Hub にありません。"
        "リポジトリ、ファイル、リビジョンを確かめてください。",
    ),
    "library.hub_not_found_but": (
        "{name} is not on the Hugging Face Hub; the closest files of that repository are "
        "{closest}.",
        "{name} は Hugging Face Hub にありません。同じリポジトリの近いファイル: {closest}",
    ),
    "library.hub_no_model": (
        "{name} holds no GGUF file with '{tag}' in its name; it has {closest}.",
        "{name} には名前に「{tag}」を含む GGUF ファイルがありません。あるもの: {closest}",
    ),
    "library.hub_no_gguf": (
        "{name} holds no GGUF file; name another repository, mostly one that ends in -GGUF.",
        "{name} には GGUF ファイルがありません。別のリポジトリ (多くは -GGUF で終わるもの) を"
        "指定してください。",
    ),
    "library.hub_no_revision": (
        "{name} has no revision {revision}; name a branch, a tag or a commit of it, or leave it "
        "out.",
        "{name} にリビジョン {revision} はありません。ブランチ、タグ、コミットを指定するか、"
        "省略してください。",
    ),
    "library.hub_forbidden": (
        "The Hugging Face Hub does not give {name}: it does not exist, or is private or gated; "
        "check the name, accept its licence on its page, and set HF_TOKEN or run `hf auth login`.",
        "Hugging Face Hub は {name} を渡しません。存在しないか、非公開または承認制です。"
        "名前を確かめ、ページでライセンスに同意し、HF_TOKEN を設定するか `hf auth login` を"
        "実行してください。",
    ),
    "library.hub_gated": (
        "{name} is gated: accept its licence on {page}, and set HF_TOKEN or run `hf auth login`.",
        "{name} は承認制です。{page} でライセンスに同意し、HF_TOKEN を設定するか "
        "`hf auth login` を実行してください。",
    ),
    "library.hub_token_refused": (
        "The Hugging Face Hub does not accept the token of {where}; make a new one with "
        "`hf auth login`, or remove it: public models need none.",
        "Hugging Face Hub が {where} のトークンを受け付けません。`hf auth login` で作り直すか、"
        "削除してください。公開モデルには不要です。",
    ),
    "library.hub_bad_token": (
        "The token of {where} holds blanks or characters that no token has; make a new one with "
        "`hf auth login`, or correct it.",
        "{where} のトークンに、空白などトークンに使えない文字が含まれています。`hf auth login` で"
        "作り直すか、直してください。",
    ),
    # The web
    "library.bad_url": (
        "{name} is not a URL that can be read; write https://HOST/PATH.gguf (or http://).",
        "{name} は読める URL ではありません。https://HOST/PATH.gguf (または http://) の形で"
        "指定してください。",
    ),
    "library.remote_not_found": (
        "{name}: the server has no such file; check the address.",
        "{name}: サーバーにそのようなファイルはありません。アドレスを確かめてください。",
    ),
    "library.remote_forbidden": (
        "{name}: the server does not allow it (HTTP {status}); it needs a permission that "
        "tokenroof does not have.",
        "{name}: サーバーが許可しません (HTTP {status})。必要な権限がありません。",
    ),
    "library.remote_status": (
        "{name}: the server answered HTTP {status} instead of the file; try again later.",
        "{name}: サーバーはファイルの代わりに HTTP {status} を返しました。"
        "後でもう一度試してください。",
    ),
    "library.remote_failed": (
        "{name} could not be read from the network ({reason}; {attempts}"
        " {attempts:attempt|attempts}); check the connection, or download the file and give its "
        "path.",
        "{name} をネットワークから読めませんでした ({reason}、{attempts} 回試行)。接続を確かめる"
        "か、ファイルをダウンロードしてパスを指定してください。",
    ),
    "library.remote_deadline": (
        "{name}: reading the header took longer than {seconds} s and was stopped; try again, or "
        "download the file and give its path.",
        "{name}: ヘッダの読み込みに {seconds} 秒以上かかったため中止しました。"
        "もう一度試すか、ファイルをダウンロードしてパスを指定してください。",
    ),
    "library.remote_limit": (
        "{name}: reading stopped after {limit}, which is more than any header has; this may not "
        "be a model.",
        "{name}: どのヘッダより大きい {limit} を読んだため中止しました。"
        "モデルではない可能性があります。",
    ),
    "library.remote_too_long": (
        "{name}: the answer is longer than {limit} and was not read to its end.",
        "{name}: 応答が {limit} を超えたため、最後まで読みませんでした。",
    ),
    "library.remote_redirects": (
        "{name}: the server redirects more than {limit} times; give the file's own address.",
        "{name}: サーバーの転送が {limit} 回を超えました。"
        "ファイル自体のアドレスを指定してください。",
    ),
    "library.remote_pages": (
        "{name}: the list goes on after {limit} pages and was not read to its end; name the file.",
        "{name}: 一覧が {limit} ページを超えたため、最後まで読みませんでした。"
        "ファイルを指定してください。",
    ),
    "library.remote_scheme": (
        "{name}: the server redirects to {target}, which is not an https (or http) address as "
        "safe as the first one; it was not followed.",
        "{name}: サーバーが {target} に転送しようとしました。"
        "最初と同じ安全さの https (または http) アドレスではないため、従いませんでした。",
    ),
    "library.remote_inward": (
        "{name}: the server redirects to {target}, an address inside this machine or network; it "
        "was not followed. If it is meant, give that address.",
        "{name}: サーバーが、このマシンまたはネットワークの内部のアドレス {target} に転送"
        "しようとしたため、従いませんでした。意図したものなら、そのアドレスを直接指定して"
        "ください。",
    ),
    "library.remote_no_size": (
        "{name}: the server does not say how long the file is, so its header cannot be trusted; "
        "download the file and give its path.",
        "{name}: サーバーがファイルの大きさを示さないため、ヘッダを信頼できません。"
        "ファイルをダウンロードしてパスを指定してください。",
    ),
    "library.remote_range": (
        "{name}: the server answered with another part of the file than was asked for; download "
        "the file and give its path.",
        "{name}: サーバーが求めたのと違う部分を返しました。"
        "ファイルをダウンロードしてパスを指定してください。",
    ),
    "library.remote_encoded": (
        "{name}: the server compresses the file ({encoding}) although it was asked not to; "
        "download the file and give its path.",
        "{name}: 圧縮しないよう求めましたが、サーバーがファイルを圧縮しています ({encoding})。"
        "ファイルをダウンロードしてパスを指定してください。",
    ),
    "library.remote_not_json": (
        "{name}: the server's answer is not JSON; it may be another program, or a proxy's page.",
        "{name}: サーバーの応答が JSON ではありません。"
        "別のプログラムか、プロキシのページかもしれません。",
    ),
    "library.config_not_json": (
        "{name} is no config: it must be one JSON object, as Hugging Face's config.json is.",
        "{name} は config ではありません。Hugging Face の config.json のような JSON オブジェクトが"
        "必要です。",
    ),
    "library.no_blueprint": (
        "{name} is a file, which is in one type already; the table of all types is worked out of "
        "a name of the catalogue (tokenroof models --catalogue QUERY) or of a config.json.",
        "{name} はファイルで、型はもう決まっています。全ての型の表は、カタログの名前"
        "(tokenroof models --catalogue QUERY)か config.json から計算します。",
    ),
    "library.config_too_long": (
        "{name}: a config of more than {limit} is none.",
        "{name}: {limit} を超えるものは config ではありません。",
    ),
}
