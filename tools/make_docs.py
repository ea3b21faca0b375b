"""Write docs/cli.md and the manual pages, in both languages, from the help of the commands.

    python tools/make_docs.py

A test writes them again and fails where they differ, so that the reference stays in step.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parent))

import manpage
from tokenroof.cli.help import VERBS
from tokenroof.cli.root import command

FOLDER = Path(__file__).parents[1] / "docs"

WIDTH = 80

ENGLISH = """# The command line

This page is written by `tools/make_docs.py` from the help of the commands.

Every command prints its result on standard output and everything else on standard error. With
`--json` it prints one document and nothing else; `docs/schema/` has the JSON Schema of each. Its
sentences are English unless `--lang` says otherwise, whatever the locale.

| exit code | means |
|---|---|
| 0 | done; also when a model does not fit, or some runs of a campaign failed |
| 1 | the answer is "no" |
| 2 | the command cannot mean anything as it was typed, or could mean several things |
| 3 | what was given cannot be used: a file that is no model, a disk that is full |
| 4 | no engine, an engine that failed altogether, or `--strict` and no quiet machine |
| 130 | interrupted; what was measured is kept |

| variable | does |
|---|---|
| `TOKENROOF_DATA` | the folder of the journal, instead of the system's place for user data |
| `TOKENROOF_DEBUG=1` | shows the traceback of an error as well |
| `TOKENROOF_CACHE` | the folder of what could be read again, such as the list of models |
| `NO_COLOR` | no colours |
| `OLLAMA_MODELS`, `OLLAMA_HOST` | where Ollama keeps its models; the machine that `ollama:` asks |
| `HF_HUB_CACHE`, `HF_HOME`, `LLAMA_CACHE` | where copies of the Hugging Face Hub lie |
| `HF_ENDPOINT` | another Hub |
| `HF_TOKEN`, `HF_TOKEN_PATH` | a token for the Hub alone; its file, if not `hf auth login`'s |

A MODEL is one of these. Its header gives every figure; over the network nothing else travels.

| name | means |
|---|---|
| `PATH` | a GGUF file, any part of a split set, or a folder with one model |
| `ollama:NAME` | of Ollama, from its store; plain `NAME` where no file bears it |
| `ollama://HOST:PORT/NAME` | of the Ollama on another machine, by what it tells |
| `lmstudio:NAME` | of LM Studio: its path there, or the end of it |
| `hf:OWNER/REPO/FILE[@REVISION]` | of the Hugging Face Hub: from a cache, else by network |
| `hf:OWNER/REPO[:TYPE]` | the one model of a repository, or the one of that type |
| `NAME@TYPE` | of the catalogue, not here yet: worked out from its published config |
| `CONFIG[@TYPE]` | likewise of a `config.json`: a path, a folder, a URL, `hf:OWNER/REPO` |
| `https://HOST/FILE` | on any web server; a file's page on the Hub means `hf:` |

A split set of the Hub is read at one commit. The token goes to the Hub alone and only over https.

`tokenroof models` lists what this machine has; `tokenroof completion` makes a shell complete it.

A DEVICE is one of these. Of a name, case, spaces, hyphens and underscores do not count.

| name | means |
|---|---|
| `here` | this machine's processor, its memory measured now |
| `NAME` | a device that `tokenroof devices` knows, as people or drivers write it |
| `NAME 64GB` | the one of its versions that is sold with that much memory |
| `Nx NAME`, `NAME xN` | several: cards take turns and add memories, processors read together |
| `ddr5-5600 x2`, `ddr5-5600 x2 64GB` | memory by channels with a module, and its size |
| `lpddr5x-8000 256-bit` | memory by the width of its bus |
| `NAME + HOST` | a card and what stands behind it; a processor with this memory |

"""

JAPANESE = """# コマンドライン

このページは `tools/make_docs.py` がコマンドのヘルプから作ります。

結果は標準出力に、それ以外はすべて標準エラー出力に書きます。
`--json` を付けると JSON 文書を 1 つだけ出力します。JSON Schema は `docs/schema/` にあります。
文書の中の文は、`--lang` で指定しない限りロケールによらず英語です。

| 終了コード | 意味 |
|---|---|
| 0 | 完了。モデルがメモリに入らない場合や、計測の一部が失敗した場合も 0 |
| 1 | 答えが「いいえ」 |
| 2 | コマンドの書き方が違う、または名前がいくつもの意味に取れる |
| 3 | 与えられたものが使えない(モデルでないファイル、ディスクの空き不足など) |
| 4 | エンジンがない、エンジンがすべて失敗した、または `--strict` で静かにならなかった |
| 130 | 中断。計測済みの結果は残っています |

| 環境変数 | 働き |
|---|---|
| `TOKENROOF_DATA` | 記録を置くフォルダ(指定がなければ OS の標準の場所) |
| `TOKENROOF_DEBUG=1` | エラーのトレースバックも表示 |
| `TOKENROOF_CACHE` | 読み直せるもの(モデルの一覧など)を置くフォルダ |
| `NO_COLOR` | 色を使わない |
| `OLLAMA_MODELS`、`OLLAMA_HOST` | Ollama のモデルの場所、`ollama:` が尋ねるマシン |
| `HF_HUB_CACHE`、`HF_HOME`、`LLAMA_CACHE` | Hugging Face Hub のコピーの場所 |
| `HF_ENDPOINT` | 別の Hub |
| `HF_TOKEN`、`HF_TOKEN_PATH` | Hub だけに送るトークン、そのファイル(`hf auth login` 以外) |

MODEL には次のものを指定できます。数値はすべてヘッダから求め、ネットワークではヘッダだけを読みます。

| 名前 | 意味 |
|---|---|
| `PATH` | GGUF ファイル、分割された組のどれか 1 つ、またはモデルが 1 つあるフォルダ |
| `ollama:NAME` | Ollama のモデル(保存先から読みます)。同名のファイルがなければ `NAME` だけでも可 |
| `ollama://HOST:PORT/NAME` | 別のマシンの Ollama のモデル。デーモンの答えから求めます |
| `lmstudio:NAME` | LM Studio のモデル。そこでのパス、またはその末尾 |
| `hf:OWNER/REPO/FILE[@REVISION]` | Hugging Face Hub のファイル。キャッシュ、なければネットワーク |
| `hf:OWNER/REPO[:TYPE]` | リポジトリにただ 1 つのモデル、またはその型のもの |
| `NAME@TYPE` | カタログのモデル。手元になくてもよく、公開された config から計算します |
| `CONFIG[@TYPE]` | `config.json` から同様に。パス、フォルダ、URL、`hf:OWNER/REPO` |
| `https://HOST/FILE` | 任意のウェブサーバーのファイル。Hub のファイルのページは `hf:` と同じ |

Hub の分割ファイルは 1 つのコミットから読みます。トークンは Hub だけに、https でのみ送ります。

このマシンにあるものは `tokenroof models` で一覧できます。
シェルの補完は `tokenroof completion` で使えます。

DEVICE には次のものを指定できます。名前の大文字と小文字、空白、ハイフン、下線は区別しません。

| 名前 | 意味 |
|---|---|
| `here` | このマシンのプロセッサ。メモリはその場で測ります |
| `NAME` | `tokenroof devices` にあるデバイス。人やドライバーが書くとおりで可 |
| `NAME 64GB` | そのうち、その容量で売られているもの |
| `Nx NAME`、`NAME xN` | 複数。カードは順番に働いて容量を足し、プロセッサは同時に読みます |
| `ddr5-5600 x2`, `ddr5-5600 x2 64GB` | メモリ。モジュールのあるチャネルの数(と容量) |
| `lpddr5x-8000 256-bit` | メモリ。バス幅で書きます |
| `NAME + HOST` | カードとその後ろにあるもの。または、このメモリを付けたプロセッサ |

"""


def pages() -> dict[str, str]:
    """File name to content."""
    return {
        "cli.md": _page(ENGLISH, "en"),
        "cli.ja.md": _page(JAPANESE, "ja"),
        "man/tokenroof.1": manpage.page(ENGLISH, "en"),
        "man/ja/tokenroof.1": manpage.page(JAPANESE, "ja"),
    }


def _page(opening: str, language: str) -> str:
    root = command(language)
    context = root.context_class(root, info_name="tokenroof", terminal_width=WIDTH - 2)
    parts = [opening.rstrip(), _block("tokenroof", root.get_help(context))]
    for verb in VERBS:
        each = root.get_command(context, verb)
        assert each is not None
        inner = each.context_class(each, info_name=verb, parent=context)
        parts.append(_block(f"tokenroof {verb}", each.get_help(inner)))
    return "\n\n".join(parts) + "\n"


def _block(title: str, text: str) -> str:
    return f"## {title}\n\n```text\n{click.unstyle(text).rstrip()}\n```"


def main() -> None:
    """Write them all."""
    for name, content in pages().items():
        (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / name).write_text(content, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
