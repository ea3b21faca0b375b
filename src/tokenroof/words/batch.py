"""Sentences about campaign files."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "batch.option": (
        "A TOML file of models, engines, cache types and flags to be measured in all combinations.",
        "モデル、エンジン、キャッシュの型、フラグの全ての組み合わせを測るための TOML ファイル。",
    ),
    "batch.no_file": (
        "The campaign file {path} cannot be read ({reason}): check the path.",
        "キャンペーンファイル {path} を読めません({reason})。パスを確かめてください。",
    ),
    "batch.not_toml": (
        "{path} is no TOML ({why}): correct it there.",
        "{path} は TOML として読めません({why})。その場所を直してください。",
    ),
    "batch.unknown_key": (
        "The campaign file {path} has a key that means nothing, '{key}': choose from {choices}.",
        "キャンペーンファイル {path} のキー '{key}' は使えません。次から選んでください: {choices}",
    ),
    "batch.bad_value": (
        "In the campaign file {path}, {key} cannot be {value}: write it as on the command line.",
        "キャンペーンファイル {path} の {key} に {value} は使えません。コマンドラインと同じ書き方に"
        "してください。",
    ),
    "batch.no_model": (
        'The campaign file {path} names no model: add a line such as model = "model.gguf".',
        'キャンペーンファイル {path} にモデルがありません。model = "model.gguf" のような行を'
        "加えてください。",
    ),
    "batch.too_many": (
        "The campaign file {path} makes more than {most} combinations: split it.",
        "キャンペーンファイル {path} の組み合わせが {most} を超えます。分割してください。",
    ),
    "batch.all_failed": (
        "Not one combination of {path} could be measured; the last one failed with: {reason}",
        "{path} の組み合わせを 1 つも計測できませんでした。最後の失敗: {reason}",
    ),
    "batch.alone": (
        "A campaign file says itself what is measured: leave out the model and its options.",
        "計測の内容はキャンペーンファイルが決めます。モデルとそのオプションは外してください。",
    ),
    "batch.begun": (
        "Combination {number} of {total}: {combination}",
        "組み合わせ {number}/{total}: {combination}",
    ),
    "batch.column_combination": ("combination", "組み合わせ"),
    "batch.column_length": ("tokens", "トークン"),
    "batch.column_prefill": ("prefill tok/s", "prefill tok/s"),
    "batch.column_decode": ("decode tok/s", "decode tok/s"),
    "batch.column_runs": ("runs", "回数"),
    "batch.failed": (
        "{combination} failed: {reason}",
        "{combination} は失敗しました: {reason}",
    ),
    "batch.together": (
        "{combinations} {combinations:combination|combinations}; the promised runs of those whose "
        "time is known take {duration}.",
        "{combinations} 通りの組み合わせ。時間の分かるものは、約束した回数に {duration} "
        "かかります。",
    ),
}
