"""`steelyard sample` and `steelyard agreement` used rightly and wrongly."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run
from reports.marked import REASON, mark_uncertain, unmark
from tables import table_of

from steelyard.io.results import load
from steelyard.io.reviews import digest_of
from steelyard.stats.agreement import clopper_pearson_upper
from steelyard.stats.review import DOUBTS

ROOT = Path(__file__).parents[2]


def lines_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def fill(path, to, agree, **fields):
    """Write the review again with opinions: `agree` is a function of the number and the line."""
    lines = lines_of(path)
    for number, line in enumerate(lines):
        line.update(agree=agree(number, line), **fields)
    to.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return to


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    path = tmp_path_factory.mktemp("review") / "base.jsonl"
    assert run("bench", "--system", "builtin:baseline", "-o", path).returncode == 0
    return path


@pytest.fixture
def sample(result, tmp_path):
    def sample(*words):
        done = run("sample", result, *words, "-o", tmp_path / "empty.jsonl")
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        return tmp_path / "empty.jsonl"

    return sample


@pytest.mark.slow
def test_a_plain_sample(result, sample):
    lines = lines_of(sample("-n", 20))
    assert len({line["id"] for line in lines}) == 20
    table = load(result)
    scores = dict(zip(table.ids, table.column("legal").tolist(), strict=True))
    for line in lines:
        assert list(line) == ["id", "verdict", "agree", "unsure", "remark", "reviewer", "metric", "result", "sampling"]
        assert line["verdict"] == scores[line["id"]]
        assert (line["agree"], line["unsure"], line["remark"], line["reviewer"]) == (None, False, "", "")
        assert (line["metric"], line["result"]) == ("legal", digest_of(table))
        assert line["sampling"] == {
            "seed": 42, "by": None, "n": 20, "population": 165, "stratum": "", "drawn": 20, "of": 165,
        }  # fmt: skip


def test_a_seed_decides(sample):
    one, again, other = (sample("-n", 20, "--seed", seed).read_text() for seed in (1, 1, 2))
    assert one == again
    assert one != other


@pytest.mark.slow
def test_a_share_is_rounded_up_and_all_is_all(sample):
    assert len(lines_of(sample("-n", "20%"))) == 33  # of 165
    assert len(lines_of(sample())) == 33
    assert len(lines_of(sample("-n", "1000"))) == 165
    assert len(lines_of(sample("-n", "100%"))) == 165


def test_by_type_takes_of_each_its_share(result, sample):
    table = load(result)
    all_of = Counter(table.tags["type"])
    lines = lines_of(sample("-n", 30, "--by", "type"))
    drawn = Counter(line["sampling"]["stratum"] for line in lines)
    assert set(drawn) == set(all_of)
    assert all(abs(drawn[kind] - 30 * count / 165) < 1 for kind, count in all_of.items())
    assert all(line["sampling"]["drawn"] == drawn[line["sampling"]["stratum"]] for line in lines)
    assert {line["sampling"]["stratum"] for line in lines_of(sample("-n", 4, "--by", "type"))} == set(all_of)


def test_doubtful_verdicts_are_drawn_more_often(sample):
    lines = lines_of(sample("-n", 30, "--by", "doubtful"))
    chance = {line["sampling"]["stratum"]: line["sampling"]["drawn"] / line["sampling"]["of"] for line in lines}
    assert list(chance) == [kind for kind in DOUBTS if kind in chance]
    assert {"partial credit", "clear"} <= set(chance)
    assert chance["partial credit"] > 2 * chance["clear"] > 0


@pytest.fixture(scope="module")
def marked(result):
    """The same with 12 verdicts that the rules could not decide."""
    table = load(result)
    chosen = {item for item, kind in zip(table.ids, table.tags["type"], strict=True) if kind == "conflict_gap"}
    return mark_uncertain(result, result.with_name("marked.jsonl"), lambda item, _: item in sorted(chosen)[::4])


def uncertain_ids(path):
    table = load(path)
    return {item for item, value in zip(table.ids, table.parts["legal"]["uncertain"], strict=True) if value == 1}


def test_uncertain_verdicts_are_taken_first(marked, tmp_path):
    empty = tmp_path / "empty.jsonl"
    done = run("sample", marked, "-n", 30, "--by", "uncertain", "-o", empty, "--lang", "en")
    said = "30 of 165 verdicts; seed 42\n12 of them are uncertain; the result has 12 uncertain verdicts\n"
    assert (done.returncode, done.stderr) == (0, said)
    lines = lines_of(empty)
    assert {line["id"] for line in lines[:12]} == uncertain_ids(marked)
    strata = [(line["sampling"]["stratum"], line["sampling"]["drawn"], line["sampling"]["of"]) for line in lines]
    assert strata == [("uncertain", 12, 12)] * 12 + [("certain", 18, 153)] * 18
    other = tmp_path / "other.jsonl"
    run("sample", marked, "-n", 30, "--by", "uncertain", "--seed", 1, "-o", other)
    assert [line["id"] for line in lines_of(other)[:12]] == [line["id"] for line in lines[:12]]
    assert [line["id"] for line in lines_of(other)[12:]] != [line["id"] for line in lines[12:]]


def test_the_rest_of_an_uncertain_sample_is_weighed(marked, tmp_path):
    empty, review = tmp_path / "empty.jsonl", tmp_path / "review.jsonl"
    run("sample", marked, "-n", 30, "--by", "uncertain", "-o", empty)
    fill(empty, review, lambda number, line: line["sampling"]["stratum"] == "certain")
    (found,) = json.loads(run("agreement", marked, review, "--json").stdout)["reviews"]
    assert found["agreement"] == pytest.approx(18 / 30)
    assert found["weighted"]["agreement"] == pytest.approx(153 / 165)
    assert found["not_covered"] == []


def test_more_uncertain_verdicts_than_are_wanted(marked, tmp_path):
    empty, review = tmp_path / "empty.jsonl", tmp_path / "review.jsonl"
    done = run("sample", marked, "-n", 5, "--by", "uncertain", "-o", empty, "--lang", "zh")
    assert done.stderr.endswith("其中 5 条存疑；该结果共有 12 条存疑判定\n")
    assert {line["id"] for line in lines_of(empty)} < uncertain_ids(marked)
    assert [line["sampling"]["of"] for line in lines_of(empty)] == [12] * 5
    fill(empty, review, lambda number, line: True)
    # nothing is known of the verdicts that nobody was shown
    assert (
        "strata without a reviewed verdict (unknown): certain"
        in run("agreement", marked, review, "--lang", "en").stdout
    )


def test_nothing_is_uncertain(result, tmp_path):
    clear = mark_uncertain(result, tmp_path / "clear.jsonl", lambda *_: False)
    empty, plain = tmp_path / "empty.jsonl", tmp_path / "plain.jsonl"
    done = run("sample", clear, "-n", 20, "--by", "uncertain", "-o", empty, "--lang", "en")
    assert done.stderr.endswith("0 of them are uncertain; the result has 0 uncertain verdicts\n")
    run("sample", clear, "-n", 20, "-o", plain)
    assert [line["id"] for line in lines_of(empty)] == [line["id"] for line in lines_of(plain)]


def test_a_result_that_does_not_say_what_is_uncertain(result, tmp_path):
    old = unmark(result, tmp_path / "old.jsonl")
    done = run("sample", old, "--by", "uncertain", "-o", tmp_path / "r.jsonl", "--lang", "en")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "baseline: this result does not record which verdicts are uncertain\n"
        "hint: judge the answers again: steelyard bench --system replay:RESULT -o NEW.jsonl; "
        "or sample with --by doubtful\n"
    )
    chinese = run("sample", old, "--by", "uncertain", "-o", tmp_path / "r.jsonl", "--lang", "zh").stderr
    assert "没有记录哪些判定存疑" in chinese
    assert not (tmp_path / "r.jsonl").exists()


def test_the_review_page_shows_why_it_is_uncertain(marked, tmp_path):
    page = tmp_path / "r.html"
    assert run("sample", marked, "-n", 12, "--by", "uncertain", "-o", page).returncode == 0
    text = page.read_text("utf-8")
    assert text.count('["uncertain","') == 12
    assert text.count(f'["uncertain","{REASON}"') >= 10  # the rules cannot decide a few others by themselves


def test_a_page(result, tmp_path):
    page, lines = tmp_path / "r.html", tmp_path / "r.jsonl"
    done = run("sample", result, "-n", 5, "-o", page, "-o", lines, "--lang", "zh")
    assert (done.returncode, done.stderr) == (0, "从 165 条判定中抽取 5 条；种子 42\n")
    text = page.read_text("utf-8")
    assert '<html lang="zh-CN">' in text
    assert all(line["id"] in text for line in lines_of(lines))
    assert "http" not in re.sub(r"http-equiv", "", text.split("</head>")[0])


@pytest.fixture
def private(tmp_path):
    """A result whose ids, tag and folder hold private numbers."""
    phones = ["13800138000", "13900138000"]
    fields = {"tags": {"who": phones}, "outputs": [{"answer": phone} for phone in phones]}
    table = table_of(phones, {"legal": np.array([1.0, 0.0])}, kind="legal", name="run", benchmark="gone", **fields)
    table.save(tmp_path / "private.jsonl")
    return tmp_path / "private.jsonl"


def test_a_masked_sample_keeps_ids_and_says_so(private, tmp_path):
    page, empty = tmp_path / "r.html", tmp_path / "r.jsonl"
    done = run("sample", private, "-n", 2, "--by", "who", "-o", page, "-o", empty, "--mask", "--lang", "en")
    assert done.returncode == 0
    kept = "2 ids contain private data and are not masked: steelyard agreement needs them to find the verdicts\n"
    assert done.stderr.endswith(kept)
    lines = lines_of(empty)
    assert [line["id"] for line in lines] == ["13800138000", "13900138000"]
    assert [line["sampling"]["stratum"] for line in lines] == ["*******8000", "*******8000-2"]
    held = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text("utf-8"), re.DOTALL)[1])
    assert (held["review"]["lines"], held["ids"]) == (lines, [line["id"] for line in lines])
    assert [said["answer"] for said in held["results"][0]["said"]] == ["*******8000"] * 2
    filled = fill(empty, tmp_path / "filled.jsonl", lambda number, line: True)
    assert run("agreement", private, filled).returncode == 0


def test_the_console_says_why_documents_are_not_shown(private, tmp_path):
    done = run("sample", private, "-o", tmp_path / "r.html", "--lang", "en", cwd=ROOT)
    assert done.stderr.splitlines()[1:] == [
        "documents are not shown: gone: there is no such folder",
        f"documents are not shown: {tmp_path}/gone: there is no such folder",
    ]
    done = run("sample", private, "-o", tmp_path / "r.html", "--lang", "zh", cwd=tmp_path)
    assert "文档未显示：gone: 没有这个文件夹\n" in done.stderr
    assert run("sample", private, "-o", tmp_path / "r.jsonl").stderr == "1 of 2 verdicts; seed 42\n"


def test_no_error_in_fifty_nine(result, sample, tmp_path):
    review = fill(sample("-n", 59), tmp_path / "review.jsonl", lambda number, line: True)
    found = json.loads(run("agreement", result, review, "--json").stdout)["reviews"][0]
    assert (found["sampled"], found["reviewed"], found["disagreed"]) == (59, 59, 0)
    assert found["error_upper95"] == pytest.approx(0.0495, abs=5e-5)
    assert found["ci95"][1] == 1
    assert "wrong verdicts, at most    5.0 %" in run("agreement", result, review).stdout


def test_shares_kappa_groups_and_disagreements(result, sample, tmp_path):
    review = fill(sample("-n", 40), tmp_path / "review.jsonl", lambda number, line: number % 10 != 0, remark="看错了")
    outputs = [tmp_path / "a.md", tmp_path / "a.json"]
    done = run("agreement", result, review, "-o", outputs[0], "-o", outputs[1])
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(outputs[1].read_text("utf-8"))
    (first,) = found["reviews"]
    assert (found["kind"], found["population"], first["weighted"]) == ("agreement", 165, None)
    assert (first["agreement"], first["disagreed"]) == (0.9, 4)
    assert first["error_upper95"] == pytest.approx(clopper_pearson_upper(4, 40))
    assert first["ci95"][0] < 0.9 < first["ci95"][1]
    assert sum(group["reviewed"] for group in first["by"]["type"].values()) == 40
    assert [each["id"] for each in first["disagreements"]] == [line["id"] for line in lines_of(review)[::10]]
    for text in (done.stdout, outputs[0].read_text("utf-8")):
        assert "看错了" in text
        assert all(each["id"] in text for each in first["disagreements"])
    table = load(result)
    passes = dict(zip(table.ids, table.parts["legal"]["passed"].tolist(), strict=True))
    judge = [passes[line["id"]] == 1 for line in lines_of(review)]
    person = [verdict if line["agree"] else not verdict for verdict, line in zip(judge, lines_of(review), strict=True)]
    share = sum(judge) / 40, sum(person) / 40
    chance = share[0] * share[1] + (1 - share[0]) * (1 - share[1])
    assert first["kappa"]["value"] == pytest.approx((0.9 - chance) / (1 - chance))


def test_weights_give_back_what_uneven_drawing_took(result, sample, tmp_path):
    # wrong in all partial and in no clear verdicts: the weighted share is that of all verdicts, the plain one is not
    review = fill(
        sample("-n", 60, "--by", "doubtful"),
        tmp_path / "review.jsonl",
        lambda number, line: line["sampling"]["stratum"] == "clear",
    )
    found = json.loads(run("agreement", result, review, "--json").stdout)["reviews"][0]
    clear = next(line["sampling"]["of"] for line in lines_of(review) if line["sampling"]["stratum"] == "clear")
    assert found["weighted"]["agreement"] == pytest.approx(clear / 165)
    assert found["agreement"] < clear / 165 - 0.1
    assert "weighted: a verdict counts as" in run("agreement", result, review).stdout


def test_a_stratum_that_nobody_heard_is_named(result, sample, tmp_path):
    review = fill(
        sample("-n", 20, "--by", "type"),
        tmp_path / "review.jsonl",
        lambda number, line: None if line["sampling"]["stratum"] == "fact_exact" else True,
    )
    assert "strata without a reviewed verdict (unknown): fact_exact" in run("agreement", result, review).stdout


def test_unsure_ones_are_counted_and_their_worst_case_is_said(result, sample, tmp_path):
    review = fill(
        sample("-n", 20), tmp_path / "review.jsonl", lambda number, line: True if number else None, unsure=True
    )
    found = json.loads(run("agreement", result, review, "--json").stdout)["reviews"][0]
    assert (found["reviewed"], found["unsure"], found["open"]) == (19, 1, 0)
    assert found["error_upper95"] == pytest.approx(clopper_pearson_upper(0, 19))
    assert found["error_upper95_if_unsure_are_wrong"] == pytest.approx(clopper_pearson_upper(1, 20))


def test_everything_reviewed_leaves_no_chance(result, sample, tmp_path):
    review = fill(sample("-n", "100%"), tmp_path / "review.jsonl", lambda number, line: number != 7)
    found = json.loads(run("agreement", result, review, "--json").stdout)["reviews"][0]
    assert found["error_upper95"] == pytest.approx(1 / 165)
    assert found["ci95"] == [found["agreement"]] * 2
    assert "all verdicts were reviewed: no sampling error" in run("agreement", result, review).stdout


def test_two_reviewers(result, sample, tmp_path):
    empty = sample("-n", 20)
    one = fill(empty, tmp_path / "one.jsonl", lambda number, line: number not in (3, 5), reviewer="甲")
    two = fill(empty, tmp_path / "two.jsonl", lambda number, line: number != 5, reviewer="乙")
    done = run("agreement", result, one, two, "--json")
    found = json.loads(done.stdout)
    (between,) = found["between"]
    assert [review["reviewers"] for review in found["reviews"]] == [["甲"], ["乙"]]
    assert (between["a"], between["b"], between["both"], between["same"]) == ("one", "two", 20, 19)
    assert between["differ"] == [
        {"id": lines_of(empty)[3]["id"], "verdict": lines_of(empty)[3]["verdict"], "a": False, "b": True}
    ]
    assert 0 < between["kappa"]["value"] < 1
    chinese = run("agreement", result, one, two, "--lang", "zh").stdout
    assert "两位复核人的 kappa" in chinese
    assert "baseline · 得分 · one" in chinese
    assert "意见不一致的条目" in chinese


def test_other_kinds_of_results(tmp_path):
    answers = tmp_path / "answers.jsonl"
    assert run("answers", "data/answers_a.jsonl", "-m", "F1,EM", "-o", answers).returncode == 0
    for metric in ("F1", "EM"):
        review = tmp_path / f"{metric}.jsonl"
        assert run("sample", answers, "-n", 3, "-m", metric, "-o", review, "-o", tmp_path / "a.html").returncode == 0
        fill(review, review, lambda number, line: True)
        assert f"· {metric} ·" in run("agreement", answers, review).stdout
    done = run("agreement", answers, tmp_path / "F1.jsonl", tmp_path / "EM.jsonl")
    assert done.stderr == "the reviews are of several metrics: F1, EM\nhint: process one at a time\n"


WRONG: dict[str, tuple[Any, str]] = {
    "not json": ("{", "{place}:2: this is not JSON:"),
    "no object": ("3", "{place}:2: an object with named fields is required, not 3"),
    "agree": ({"agree": "yes"}, "{place}:2: agree must be true, false or null, not 'yes'"),
    "verdict": ({"verdict": "1"}, "{place}:2: verdict must be a number, not '1'"),
    "remark": ({"remark": 3}, "{place}:2: remark must be text, not 3"),
    "sampling": ({"sampling": {"seed": 1}}, "{place}:2: this is not a sampling object written by steelyard sample"),
    "missing": ({"agree": ...}, "{place}:2: the field 'agree' is missing"),
    "other result": ({"result": "0" * 16}, "{place}:2: this is a review of another result: 0000000000000000, not "),
    "unknown id": ({"id": "nobody"}, "{place}:2: no item is called 'nobody'"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_a_bad_line_is_named(name, result, sample, tmp_path):
    change, message = WRONG[name]
    review = fill(sample("-n", 3), tmp_path / "review.jsonl", lambda number, line: True)
    lines = review.read_text("utf-8").splitlines()
    if isinstance(change, str):
        lines[1] = change
    else:
        line = {**json.loads(lines[1]), **change}
        lines[1] = json.dumps({key: value for key, value in line.items() if value is not ...})
    review.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run("agreement", result, review)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message.format(place=review)), done.stderr
    assert "Traceback" not in done.stderr
    assert re.search("[\u4e00-\u9fff]", run("agreement", result, review, "--lang", "zh").stderr)


CHOSEN = {"seed": 0, "by": "chosen", "n": 1, "population": 165, "stratum": "chosen", "drawn": 1, "of": 165}


def test_verdicts_that_a_reviewer_chose_are_no_part_of_a_sample(result, sample, tmp_path):
    review = fill(sample("-n", "20"), tmp_path / "review.jsonl", lambda number, line: True)
    drawn = lines_of(review)
    table = load(result)
    other = next(identifier for identifier in table.ids if identifier not in {line["id"] for line in drawn})
    verdict = float(table.column("legal")[list(table.ids).index(other)])
    chosen = drawn[0] | {"id": other, "verdict": verdict, "agree": False, "score": 0.5, "sampling": CHOSEN, "time": "t"}
    review.write_text("".join(json.dumps(line) + "\n" for line in [*drawn, chosen]), "utf-8")
    (found,) = json.loads(run("agreement", result, review, "--json").stdout)["reviews"]
    assert (found["reviewed"], found["disagreed"], found["left_out"]) == (20, 0, 1)
    assert "1 further verdicts chosen by the reviewer" in run("agreement", result, review).stdout
    review.write_text(json.dumps(chosen) + "\n", "utf-8")
    (found,) = json.loads(run("agreement", result, review, "--json").stdout)["reviews"]
    assert (found["reviewed"], found["disagreements"][0]["score"], "left_out" in found) == (1, 0.5, False)
    told = run("agreement", result, review).stdout
    assert "chosen by the reviewer and not drawn" in told
    assert "corrected score" in told


def test_corrections_leave_the_scores_of_the_judge(result, sample, tmp_path):
    review = fill(sample("-n", "20"), tmp_path / "review.jsonl", lambda number, line: False, score=0.25)
    plain, corrected = (
        json.loads(run("report", result, *words, "--json").stdout)["results"][0]
        for words in ((), ("--reviews", review))
    )
    assert corrected["metrics"] == plain["metrics"]
    scores = load(result).column("legal").copy()
    scores[[list(load(result).ids).index(line["id"]) for line in lines_of(review)]] = 0.25
    assert corrected["corrections"]["legal"]["mean"] == pytest.approx(scores.mean(), abs=1e-12)
    assert corrected["corrections"]["legal"]["items"] == 20


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"score": "1"}, "score must be a number, not '1'"),
        ({"parts": {"a": "1"}}, "parts must be numbers by the names"),
    ],
)
def test_a_correction_that_is_none_is_named(result, sample, tmp_path, fields, message):
    review = fill(sample("-n", "3"), tmp_path / "review.jsonl", lambda number, line: False, **fields)
    done = run("agreement", result, review)
    assert done.returncode == 2
    assert f"review.jsonl:1: {message}" in done.stderr


def test_a_doubled_id(result, sample, tmp_path):
    review = fill(sample("-n", 3), tmp_path / "review.jsonl", lambda number, line: True)
    with review.open("a", encoding="utf-8") as file:
        file.write(review.read_text("utf-8").splitlines()[0] + "\n")
    identifier = lines_of(review)[0]["id"]
    done = run("agreement", result, review)
    assert done.returncode == 2
    assert done.stderr.startswith(f"{review}:4: duplicate id '{identifier}' (first on line 1)")


def test_nothing_reviewed_is_no_success(result, sample, tmp_path):
    empty = sample("-n", 3)
    done = run("agreement", result, empty)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == f"{empty}: it contains no reviewed item\nhint: agree must be true or false for each reviewed item\n"
    )
    nothing = tmp_path / "nothing.jsonl"
    nothing.write_text("")
    done = run("agreement", result, nothing)
    assert (done.returncode, done.stderr) == (
        2,
        f"{nothing}: it is empty\nhint: such files are written by steelyard sample\n",
    )


MISTAKES = {
    "a tag": (("--by", "tpye"), "baseline: no tag is called 'tpye'\nhint: did you mean 'type'?\n"),
    "a metric": (("-m", "legl"), "baseline: no metric is called 'legl'\nhint: did you mean 'legal'?\n"),
    "too few": (
        ("-n", "2", "--by", "type"),
        "2 items cannot include one of each of the 4 values of 'type'\nhint: use a larger sample: -n 4\n",
    ),
    "a folder": (
        ("--benchmark", "nowhere"),
        "there is no folder 'nowhere'\nhint: --benchmark must be the folder of the questions\n",
    ),
    "a format": (
        ("-o", "x.csv"),
        "x.csv: no report format has the extension '.csv'\nhint: known: .html, .jsonl\n",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name, result, tmp_path):
    words, message = MISTAKES[name]
    done = run("sample", result, "-o", "r.jsonl", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


@pytest.mark.parametrize("count", ["0", "0%", "101%", "2.5", "-3", "many", "nan"])
def test_a_count_that_is_none(count, result, tmp_path):
    done = run("sample", result, f"-n={count}", "-o", tmp_path / "r.jsonl")
    assert done.returncode == 2
    assert "must be an integer of at least 1 or a percentage such as 20%" in done.stderr


def test_the_result_is_not_overwritten(result):
    done = run("sample", result, "-o", result)
    assert done.returncode == 2
    assert "this is one of the inputs; it would be overwritten" in done.stderr


def test_tags_are_in_the_language_of_the_report(marked, tmp_path):
    empty, review = tmp_path / "empty.jsonl", tmp_path / "review.jsonl"
    run("sample", marked, "-n", 12, "--by", "type", "-o", empty)
    fill(empty, review, lambda number, line: True)
    found = run("agreement", marked, review, "--by", "type", "--lang", "zh").stdout
    assert "review：题型\n" in found
    assert "\n事实型 " in found
    assert "fact_exact" not in found
    assert "\nexact facts " in run("agreement", marked, review, "--by", "type", "--lang", "en").stdout
