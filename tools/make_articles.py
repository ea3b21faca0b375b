"""Write the tables of the article pages in docs/ anew, as the program prints them.

    python tools/make_articles.py

Run it after anything that changes an estimate. tests/cli/test_cli_second_article.py holds the
pages against the program; what is predicted there is as good as what was known when they were made.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from pathlib import Path

from tokenroof.cli import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("docs/second-article.md", "docs/second-article.ja.md")

EXAMPLE = re.compile(
    r"^```console\n\$ tokenroof (?P<command>.+)\n```\n(?:\n(?P<table>(?:\|.*\n)+))?", re.M
)
"""A command, and the Markdown table that it prints."""


def printed(command: str) -> str:
    """What a command prints, run in the root of the repository."""
    os.chdir(ROOT)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = main(shlex.split(command))
    if code:
        message = f"exit code {code}: tokenroof {command}"
        raise RuntimeError(message)
    return out.getvalue()


def filled(page: str) -> str:
    """A page with its tables as they are today."""
    return EXAMPLE.sub(
        lambda each: (
            f"```console\n$ tokenroof {each['command']}\n```\n\n{printed(each['command'])}"
        ),
        page,
    )


if __name__ == "__main__":
    for name in PAGES:
        path = ROOT / name
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
