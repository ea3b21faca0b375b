"""The page: one file, nothing from outside, no text that can act, the data inside."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec import structs

from support.measured_runs import COST, run, timed
from tokenroof.analysis import Analysis, Conditions, Peak, analyse
from tokenroof.errors import RecordError
from tokenroof.notices import Notice
from tokenroof.records import Output, Prompt, Run, RunEngine, RunModel, Used
from tokenroof.report import read_report, report_html, summary_markdown
from tokenroof.report.embedded import script_json

HOSTILE = (
    "</script><script>alert(1)</script>\u2028\x1b[31m\u202e\"'&<img src=x onerror=alert(1)>\n=cmd"
)


def campaign(name: str = "model") -> list[Run]:
    """Three rounds of four lengths and one excluded run."""
    runs: list[Run] = []
    for tokens in (500, 2000, 8000, 16000):
        times = [0.01 + tokens * 1e-6] * 3
        runs += timed(times, tokens, first=len(runs), prefill_seconds=tokens / 1e3)
    runs += timed([0.09], 500, first=90, excluded="throttled")
    model = RunModel(name=name, file_type="Q4_K_M")
    return [structs.replace(each, model=model) for each in runs]


def analysed(runs: list[Run]) -> Analysis:
    return analyse(
        runs,
        {each.model.name or "": COST for each in runs},
        peaks=[Peak(bandwidth_bytes_per_second=200e9, bandwidth_basis="measured")],
        conditions=Conditions(
            command=("tokenroof", "lab", "model.gguf", "--lengths", "500,2k"),
            machine={"os": "Debian 12", "memory_total_bytes": 8 * 2**30, "governor": None},
            versions={"tokenroof": "0.1.0"},
        ),
    )


class Page(HTMLParser):
    """What a browser would see: elements with their attributes, and shown text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._quiet = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._quiet += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._quiet -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._quiet:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def html() -> str:
    runs = campaign()
    return report_html(analysed(runs), runs)


def test_nothing_is_loaded_from_anywhere(html: str) -> None:
    for tag, attributes in Page(html).elements:
        assert tag not in ("link", "iframe", "object", "embed", "base", "a", "form")
        for name in ("src", "href", "action", "srcset", "data", "poster"):
            value = attributes.get(name)
            assert value is None or value.startswith("data:image/svg+xml;base64,"), (tag, value)
    style = html[html.index("<style>") : html.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style


def test_the_policy_lets_no_request_out_and_no_foreign_script_in(html: str) -> None:
    policy = next(
        attributes["content"] or ""
        for tag, attributes in Page(html).elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert "connect-src" not in rules
    assert "unsafe" not in rules["script-src"]
    assert rules["script-src"].count("sha256-") == 2


def test_the_checksums_are_those_of_the_scripts_as_the_page_holds_them(html: str) -> None:
    import base64
    import hashlib

    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert len(scripts) == 2
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"sha256-{digest}" in html


def test_the_runs_come_back_as_they_were(tmp_path: Path, html: str) -> None:
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    assert read_report(path) == campaign()


@pytest.mark.parametrize("content", ["", "<html></html>", "\x00", "<script id=tokenroof-runs>{"])
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.html"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(RecordError) as caught:
        read_report(path)
    assert "other.html" in str(caught.value)
    with pytest.raises(RecordError):
        read_report(tmp_path / "missing.html")


def test_a_hostile_name_can_do_nothing(tmp_path: Path, html: str) -> None:
    runs = campaign(HOSTILE)
    page = report_html(analysed(runs), runs)
    plain = [tag for tag, _ in Page(html).elements]
    assert [tag for tag, _ in Page(page).elements] == plain
    assert "alert(1)</script>" not in page
    assert "<img src=x" not in page
    for character in ("\x1b", "\u202e", "\u2028"):
        assert character not in page
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    assert read_report(path)[0].model.name == HOSTILE


def test_hostile_text_in_every_field_is_harmless() -> None:
    runs = [
        run(
            source=HOSTILE,
            device=HOSTILE,
            engine=RunEngine(name=HOSTILE, version=HOSTILE, flags={HOSTILE: HOSTILE}),
            model=RunModel(name=HOSTILE, digest=HOSTILE, file_type=HOSTILE),
            started=HOSTILE,
            id=HOSTILE,
        )
    ]
    conditions = Conditions(
        command=(HOSTILE,),
        machine={"os": HOSTILE},
        versions={HOSTILE: HOSTILE},
        remarks=(HOSTILE,),
    )
    peak = Peak(bandwidth_bytes_per_second=1e9, bandwidth_source=HOSTILE)
    page = report_html(analyse(runs, {HOSTILE: COST}, peaks=[peak], conditions=conditions), runs)
    assert not any("onerror" in attributes for _, attributes in Page(page).elements)
    assert sum(tag == "script" for tag, _ in Page(page).elements) == 5
    assert "\x1b" not in page


def test_a_command_whose_bytes_are_no_text_does_not_stop_the_page() -> None:
    runs = campaign()
    odd = Conditions(command=("tokenroof", "lab", "a\udc80b.gguf"))
    page = report_html(analyse(runs, conditions=odd), runs)
    assert page.encode()
    assert "a\\udc80b.gguf" in Page(page).text


def test_script_json_leaves_no_way_out_of_its_element() -> None:
    written = script_json({HOSTILE: ["<!--", "]]>", "\u2029", 1.5, None]})
    assert written.isascii()
    assert not set("<>&") & set(written)
    assert json.loads(written) == {HOSTILE: ["<!--", "]]>", "\u2029", 1.5, None]}


def test_figures_that_json_cannot_say_are_refused_not_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        script_json(float("nan"))


def test_the_same_runs_give_the_same_page(html: str) -> None:
    runs = campaign()
    assert report_html(analysed(runs), runs) == html


@pytest.mark.parametrize(
    "text",
    [
        "Q4_K_M",  # the quantisation
        "engine 1",  # engine and version
        "4096",  # the context
        "Debian 12",
        "8.00 GiB",
        "tokenroof lab model.gguf --lengths 500,2k",
        "heat or power limits slowed the machine down",
        "made up for a test",  # where the bytes come from
        "200 GB/s, measured here",
        "2026-01-01T00:00",
        "3 (+ 1 excluded)",
        "All 13 runs are in this file",
    ],
)
def test_the_page_says_under_which_conditions_its_figures_hold(html: str, text: str) -> None:
    assert text in Page(html).text


def test_a_machines_unknown_fields_are_not_shown(html: str) -> None:
    assert "frequency governor" not in Page(html).text
    assert "None" not in Page(html).text


def test_the_first_sentence_of_a_contended_campaign_says_so() -> None:
    runs = [*campaign(), *timed([0.02], 500, first=95, flags=("contended",))]
    page = Page(report_html(analyse(runs), runs))
    text = page.text
    first = text.index("contended")
    assert first < text.index("reads a prompt")


def test_without_any_success_there_is_still_a_page() -> None:
    runs = [run(prompt=Prompt(), output=Output(), excluded="failed", raw={"error": "died"})]
    page = Page(report_html(analyse(runs), runs))
    assert "No run gave a figure that counts (of 1)" in page.text
    assert "it failed" in page.text
    empty = Page(report_html(analyse([]), []))
    assert "There are no runs to show." in empty.text


def test_a_failed_run_shows_what_the_engine_said() -> None:
    raw = {"error": {"kind": "EngineError", "text": "The engine died: out of memory"}}
    runs = [*campaign(), run(99, prompt=Prompt(), output=Output(), excluded="failed", raw=raw)]
    found = analysed([structs.replace(each, model=RunModel(name="model")) for each in runs])
    for said in (Page(report_html(found, runs)).text, summary_markdown(found)):
        assert "it failed: The engine died: out of memory" in said


def test_what_runs_used_and_what_a_cache_spared_is_there_where_it_is_known() -> None:
    used = Used(
        memory_peak_bytes=2**30,
        prefill_joules=20.0,
        decode_joules=40.0,
        decode_energy_steps=10,
        energy_sources=("RAPL package-0",),
    )
    cold = [structs.replace(each, used=used, ttft_seconds=2.0) for each in timed([0.01] * 3)]
    pairs: list[Run] = []
    for each in cold:
        again = structs.replace(
            each,
            id=f"{each.id}-again",
            workload=structs.replace(each.workload, cached=True),
            prompt=Prompt(tokens=1000, cached=900, seconds=0.1),
            ttft_seconds=0.25,
        )
        pairs += [each, again]
    found = analyse(pairs)
    for said in (Page(report_html(found, pairs)).text, summary_markdown(found)):
        # 20 J / 1,000 tokens read; 40 J / 10 steps; 900 of 1,000 tokens from the cache.
        for figure in ("1.00 GiB", "0.0200", "4.00", "RAPL package-0", "2.0 s", "0.25 s", "90 %"):
            assert figure in said
    without = summary_markdown(analysed(campaign()))
    assert "What the runs took" not in without
    assert "from the cache" not in without


def test_what_to_know_is_one_list_with_each_thing_once() -> None:
    runs = [*campaign(), *timed([0.02], 500, first=95, flags=("contended",))]
    runs = [structs.replace(each, model=RunModel(name="model")) for each in runs]
    notices = (Notice("measure.memory", {"memory": "1 GiB"}), Notice("quiet.busy", {}))
    found = analyse(runs, conditions=Conditions(notices=notices))
    said = summary_markdown(found, figures=())
    assert said.count("## What to know") <= 1
    assert said.count("contended") == 1
    assert "The engine held" not in said


def test_on_a_narrow_page_every_cell_of_a_wide_table_says_its_column(html: str) -> None:
    for table in re.findall(r'<table class="[^"]*many">.*?</table>', html, re.DOTALL):
        columns = re.findall(r'<th scope="col">(.*?)</th>', table)
        for row in re.findall(r"<tr>(<th scope=\"row\".*?)</tr>", table):
            assert re.findall(r'data-column="(.*?)"', row) == columns


def test_the_page_is_in_the_language_asked_for() -> None:
    runs = campaign()
    page = report_html(analysed(runs), runs, "ja")
    assert '<html lang="ja">' in page
    text = Page(page).text
    for each in ("結果", "条件", "数値の出所", "除いた回", "もう一度測るには"):
        assert each in text
    assert "Results" not in text


def test_still_pictures_stand_for_the_scripts(html: str) -> None:
    pictures = [attributes for tag, attributes in Page(html).elements if tag == "img"]
    assert len(pictures) == 5
    assert all(each["alt"] for each in pictures)
