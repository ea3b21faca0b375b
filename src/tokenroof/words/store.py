"""What the store says."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "store.disk_full": (
        "The disk is full: {path} could not be written. Everything measured before this is kept; "
        "free some space and resume.",
        "ディスクがいっぱいで、{path} に書き込めませんでした。それまでの計測は残っています。"
        "空きを作ってから再開してください。",
    ),
    "store.not_allowed": (
        "{path} may not be written ({reason}). Choose another folder, or set TOKENROOF_DATA to one "
        "that you can write to.",
        "{path} に書き込む権限がありません({reason})。別のフォルダを選ぶか、書き込めるフォルダを "
        "TOKENROOF_DATA に指定してください。",
    ),
    "store.not_a_folder": (
        "{path} cannot be written, because something that is not a folder is in the way "
        "({reason}). Choose another folder.",
        "{path} に書き込めません。途中にフォルダではないものがあります({reason})。"
        "別のフォルダを選んでください。",
    ),
    "store.not_writable": (
        "{path} could not be written ({reason}). Everything measured before this is kept.",
        "{path} に書き込めませんでした({reason})。それまでの計測は残っています。",
    ),
    "store.no_such_file": (
        "There are no runs at {path}: no such file or folder. Measure some with `tokenroof bench`.",
        "{path} がありません。`tokenroof bench` で計測してください。",
    ),
    "store.no_runs_in_folder": (
        "The folder {path} holds no runs.jsonl and no other .jsonl file.",
        "フォルダ {path} には runs.jsonl も他の .jsonl もありません。",
    ),
    "store.not_readable": (
        "{path} could not be read ({reason}).",
        "{path} を読めませんでした({reason})。",
    ),
    "store.newer_schema": (
        "Line {line} of {path} was written by a newer tokenroof ({schema}; this one knows {known})."
        " Update tokenroof to read it.",
        "{path} の {line} 行目は、より新しい tokenroof が書いたものです({schema}。この版が"
        "読めるのは {known})。tokenroof を更新してください。",
    ),
    "store.not_runs": (
        "{path} is not a file of runs: line {line} is not a run ({reason}).",
        "{path} は計測の記録ではありません。{line} 行目が記録として読めません({reason})。",
    ),
    "store.torn_line": (
        "The last line of {path} is incomplete, as after a crash or a power cut; it was ignored.",
        "{path} の最後の行が途中で切れています(異常終了や停電の跡)。この行は使いません。",
    ),
    "store.unreadable_line": (
        "Line {line} of {path} is not a run and was ignored ({reason}).",
        "{path} の {line} 行目は記録として読めないため、使いません({reason})。",
    ),
    "store.no_such_campaign": (
        "No campaign is called {name}. `tokenroof bench` prints the id of each.",
        "{name} という計測はありません。id は `tokenroof bench` の表示にあります。",
    ),
    "store.nothing_to_resume": (
        "There is no campaign to go on with: every one has finished. Begin a new one, or name one "
        "by its id.",
        "再開できる計測はありません。どれも終わっています。新しく計測するか、id を指定して"
        "ください。",
    ),
    "store.campaign_runs": (
        "Campaign {campaign} is still being measured by another process, such as one in another "
        "terminal. Wait for its end, or stop it first with Ctrl-C.",
        "計測 {campaign} は、別の端末などのプロセスがまだ実行しています。終わるまで待つか、"
        "そちらを Ctrl-C で止めてください。",
    ),
    "store.batch_runs": (
        "The campaigns of {file} are still being measured by another process, such as one in "
        "another terminal. Wait for their end, or stop it first with Ctrl-C.",
        "{file} の計測は、別の端末などのプロセスがまだ実行しています。終わるまで待つか、"
        "そちらを Ctrl-C で止めてください。",
    ),
    "store.ambiguous_campaign": (
        "{name} could be any of these campaigns: {candidates}. Give more of the id.",
        "{name} に当てはまる計測が複数あります: {candidates}。id をもう少し長く指定してください。",
    ),
    "store.bad_campaign": (
        "{path} cannot be read as the conditions of a campaign ({reason}). Its runs are kept, but "
        "it cannot be resumed.",
        "{path} を計測の条件として読めません({reason})。記録は残っていますが、再開はできません。",
    ),
}
