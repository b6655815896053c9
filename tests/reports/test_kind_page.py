"""What kinds of results add to pages: nothing unless they are registered, else what their report module has."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from distributions import write_distribution
from tables import table_of

from steelyard.reports.content import Report
from steelyard.reports.kinds import Sections, kind_page
from steelyard.reports.render.html.report_html import render_html

SOURCES = Path(__file__).parents[2] / "src"
KIND = """
from pathlib import Path

from steelyard.registry.kinds import Kind
from steelyard.reports.kinds import KindReport
from steelyard.reports.kinds import AnswerDetails, ItemDetails, KindPage, Section, Sections

MINE = Kind("mine", "the judge of this test", report="mine:Report")


class Details(ItemDetails):
    fields = frozenset({"verdict"})

    def answer(self, text, output, document):
        return AnswerDetails(reasons=[("fluency", *["because"] * 2)])


class Page(KindPage):
    folders = (Path(__file__).parent,)

    def sections(self, tables, units="auto"):
        return Sections(details=[Section("mine.html.j2", [table.name for table in tables])])

    def details(self, documents):
        return Details()


class Report(KindReport):
    def page(self):
        return Page()

    def documents(self, benchmark, *, within, beside, also):
        from steelyard.documents.pages import Document
        from steelyard.documents.pages import DocumentSet

        return DocumentSet({f"{beside}/{benchmark}": Document("d", (), "")})
"""
PROGRAM = """
from dataclasses import replace

import numpy as np
from steelyard.reports.content import Report
from steelyard.reports.kinds import documents_for
from steelyard.reports.render.html.report_html import render_html
from steelyard.table import Column, Table

outputs = [{"answer": "yes", "verdict": {"fluency": 1}}]
table = Table(ids=["a"], columns={"fluency": Column(np.ones(1))}, kind="mine", name="first", outputs=outputs)
assert list(documents_for([replace(table, benchmark="cases"), table], ["here", "there"])) == ["here/cases"]
print(render_html(Report([table])))
"""


def embedded(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_an_unregistered_kind_adds_nothing_and_shows_every_field_by_its_name():
    outputs = [{"answer": "yes", "citations": [{"page": 1, "text": "yes"}], "verdict": {"why": "so"}}]
    table = table_of(ids=["a"], columns={"F1": np.ones(1)}, kind="unknown", outputs=outputs)
    page = kind_page("unknown")
    assert page.sections([table]) == Sections()
    assert list(page.charts(table, "en")) == []
    fields = embedded(render_html(Report([table])))["results"][0]["said"][0]["fields"]
    assert fields == {"citations": '[{"page": 1, "text": "yes"}]', "verdict": '{"why": "so"}'}


def test_a_kind_of_another_distribution_adds_sections_and_details(tmp_path):
    write_distribution(tmp_path, "mine", {"steelyard.kinds": "mine = mine:MINE"}, mine=KIND)
    (tmp_path / "mine.html.j2").write_text('<p class="mine">{{ content | join }}</p>', encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{SOURCES}{os.pathsep}{tmp_path}", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert '<p class="mine">first</p>' in done.stdout
    assert "the judge of this test" in done.stdout
    output = embedded(done.stdout)["results"][0]["said"][0]
    assert output == {"answer": "yes", "reasons": [["fluency", "because", "because"]]}
