"""Sentences about the quiet machine and what is seen beside a run."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "quiet.busy": (
        "{source}: others use {share}.",
        "{source}: 他の作業が {share} を使っています。",
    ),
    "quiet.queue": (
        "The queue at {source} is not empty (jobs: {jobs}).",
        "{source} のキューが空ではありません({jobs} 件)。",
    ),
    "quiet.sensor_failed": (
        "{source} could not be watched ({error}).",
        "{source} を監視できませんでした({error})。",
    ),
    "quiet.queue_lost": (
        "The queue at {url} does not answer any more: whether it was empty is not known.",
        "{url} のキューが応答しなくなりました。空だったかどうかは分かりません。",
    ),
    "quiet.queue_url": (
        "{url} is not the address of a queue: give it as http://HOST:PORT.",
        "{url} はキューのアドレスとして使えません。http://HOST:PORT の形で指定してください。",
    ),
    "quiet.queue_unreachable": (
        "The queue at {url} does not answer ({reason}): start that server, or leave out "
        "--watch-queue.",
        "{url} のキューに接続できません({reason})。"
        "サーバーを起動するか、--watch-queue を外してください。",
    ),
    "quiet.queue_not_one": (
        "{url} answers, but not as ComfyUI's queue does: check the address given to --watch-queue.",
        "{url} は応答しますが、ComfyUI のキューではありません。"
        "--watch-queue のアドレスを確認してください。",
    ),
    "quiet.not_quiet_busy": (
        "The machine did not become quiet within {limit}: others use {share} of {source}. "
        "Stop the other work, or leave out --strict.",
        "{limit} 待ってもマシンが静かになりませんでした。{source} の {share} を他の作業が"
        "使っています。他の作業を止めるか、--strict を外してください。",
    ),
    "quiet.not_quiet_queue": (
        "The machine did not become quiet within {limit}: the queue at {source} is not empty "
        "(jobs: {jobs}). Let it finish, or leave out --strict.",
        "{limit} 待ってもマシンが静かになりませんでした。{source} のキューに {jobs} 件"
        "残っています。終わるのを待つか、--strict を外してください。",
    ),
    "quiet.not_steady": (
        "The machine did not stay quiet long enough within {limit}: other work comes and goes. "
        "Stop it, or leave out --strict.",
        "{limit} の間、マシンの静かな状態が続きませんでした。他の作業が断続的に動いています。"
        "それを止めるか、--strict を外してください。",
    ),
}
