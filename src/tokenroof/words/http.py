"""Sentences about servers that are spoken to over HTTP."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "http.unreachable": (
        "{engine} does not answer at {url} (address from: {source}; {why}): start it with "
        "'{start}', or correct the address.",
        "{url} で {engine} が応答しません(アドレスの出どころ: {source}。{why})。'{start}' で"
        "起動するか、アドレスを直してください。",
    ),
    "http.tls": (
        "No secure connection to {engine} at {url} (address from: {source}; {why}): correct the "
        "address or the server's certificate.",
        "{url} の {engine} に安全に接続できません(アドレスの出どころ: {source}。{why})。アドレスか"
        "サーバーの証明書を直してください。",
    ),
    "http.not_http": (
        "What answers at {url} is not {engine} (address from: {source}; {why}): correct the "
        "address.",
        "{url} で応答しているのは {engine} ではありません(アドレスの出どころ: {source}。{why})。"
        "アドレスを直してください。",
    ),
    "http.cut": (
        "{engine} at {url} broke off in the middle of its answer, after {received} "
        "{received:byte|bytes} ({why}): look into its log. What was measured before is kept.",
        "{url} の {engine} の応答が {received} バイトで途切れました({why})。"
        "サーバーのログを確認してください。それまでの計測結果は残っています。",
    ),
    "http.no_first_token": (
        "{engine} at {url} wrote no token within {duration} of the request (limit for the first "
        "token; {received} {received:byte|bytes} came): is something else using it? Try a shorter "
        "prompt.",
        "{url} の {engine} から、送信後 {duration} のあいだに最初のトークンが届きませんでした"
        "(最初のトークンの制限時間。受信 {received} バイト)。他の作業が使っていないか確認し、"
        "プロンプトを短くしてみてください。",
    ),
    "http.no_next_token": (
        "{engine} at {url} stopped in the middle: no token for {duration} (limit between tokens; "
        "{received} {received:byte|bytes} came). What was measured before is kept; look into its "
        "log.",
        "{url} の {engine} が途中で止まりました。{duration} のあいだトークンが届いていません"
        "(トークン間の制限時間。受信 {received} バイト)。それまでの計測結果は残っています。"
        "サーバーのログを確認してください。",
    ),
    "http.too_long": (
        "{engine} at {url} was not done after {duration} (limit for the whole answer; {received} "
        "{received:byte|bytes} came): ask for fewer tokens.",
        "{url} の {engine} の応答が {duration} では終わりませんでした(応答全体の制限時間。受信 "
        "{received} バイト)。生成するトークンを減らしてください。",
    ),
    "http.no_answer_in_time": (
        "{engine} at {url} did not answer within {duration} ({received} {received:byte|bytes} "
        "came): is it busy?",
        "{url} の {engine} が {duration} 以内に応答しませんでした(受信 {received} バイト)。"
        "他の処理で忙しくないか確認してください。",
    ),
    "http.too_large": (
        "The answer of {engine} at {url} has no end (more than {limit} in one piece): correct the "
        "address.",
        "{url} の {engine} の応答に終わりがありません(1 つで {limit} を超えました)。アドレスを"
        "直してください。",
    ),
    "http.web_page": (
        "{engine} at {url} answered with a web page ({body}): a proxy or another program sits at "
        "that address; correct it.",
        "{url} の {engine} がウェブページを返しました({body})。"
        "プロキシか別のプログラムのアドレスです。アドレスを直してください。",
    ),
    "http.nonsense": (
        "{engine} at {url} answered what is no answer of such a server ({body}): correct the "
        "address.",
        "{url} の {engine} の応答を解釈できません({body})。アドレスを直してください。",
    ),
    "http.error_frame": (
        "{engine} at {url} failed in the middle of its answer: {why}. What was measured before is "
        "kept.",
        "{url} の {engine} が応答の途中で失敗しました: {why}。それまでの計測結果は残っています。",
    ),
    "http.redirected": (
        "{engine} at {url} (address from: {source}) points to {target}, which is not followed: "
        "give that address yourself if you trust it.",
        "{url} の {engine}(アドレスの出どころ: {source})は {target} に転送しようとしましたが、"
        "転送には従いません。信頼できる場合は、そのアドレスを指定してください。",
    ),
    "http.unauthorized": (
        "{engine} at {url} lets nobody in without the right key ({why}): put the key into the "
        "variable {variable}.",
        "{url} の {engine} を使う権限がありません({why})。"
        "環境変数 {variable} にキーを設定してください。",
    ),
    "http.bad_key": (
        "The key in the variable {variable} holds blanks or characters that no key has: copy it "
        "again.",
        "環境変数 {variable} のキーに、空白などキーに使えない文字が含まれています。コピーし直して"
        "ください。",
    ),
    "http.refused": (
        "{engine} at {url} refused: {why}. Change the request accordingly.",
        "{url} の {engine} に断られました: {why}。依頼の内容を見直してください。",
    ),
    "http.failed": (
        "{engine} at {url} failed: {why}. Look into its log; what was measured before is kept.",
        "{url} の {engine} が失敗しました: {why}。サーバーのログを確認してください。"
        "それまでの計測結果は残っています。",
    ),
}
