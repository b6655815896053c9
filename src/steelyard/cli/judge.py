"""`steelyard judge …`: judges of a model as files, runs with a journal, results made again, calibrations, probes."""

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from steelyard.cli import options
from steelyard.cli.console import notify, proportion
from steelyard.cli.models import (
    MAX_ERRORS,
    MODEL,
    chat_model,
    check_calls,
    journal_header,
    model_name,
    notice_when_stopped,
    notify_spent,
    spending_of,
    with_limits,
)
from steelyard.cli.options import Actions, Command, Group, argument, flag, repeated
from steelyard.cli.output import check_outputs, deliver, print_text, show_blocks, write_and_show
from steelyard.errors import ConfigError, InputError, SystemFailure
from steelyard.i18n import Message, words_of
from steelyard.io.addresses import path_of
from steelyard.io.results import load, save_all
from steelyard.io.writing import RECORDED, check_distinct, check_output, write_whole
from steelyard.judges.calls import (
    Asking,
    Caller,
    Endpoint,
    Offline,
    Recordings,
    read_replies,
    tokens_about,
    write_calls,
)
from steelyard.judges.claims import claims_of
from steelyard.judges.journal import SUFFIX, Journal
from steelyard.judges.labels import LabelSettings, read_labelled
from steelyard.judges.probes import probe, probe_blocks
from steelyard.judges.run import Rows, Source, check_needs, chosen_metrics, judge_file, row_of
from steelyard.judges.spec import Judge, judge_of, judge_to_run, template
from steelyard.judges.tasks import needs_of, qrels_lines
from steelyard.progress import ProgressCallback, no_progress
from steelyard.registry.judged import judge_differs, metric_called
from steelyard.registry.names import split_names
from steelyard.reports.blocks import Block
from steelyard.reports.calibration import calibration_blocks
from steelyard.reports.content import Report
from steelyard.reports.files import RENDERERS
from steelyard.stats.calibration import LEAST_KAPPA
from steelyard.table import Table


def run_new(arguments: argparse.Namespace) -> int:
    """Write a judge to edit."""
    path = arguments.file or Path(f"{arguments.name}.yaml")
    write_whole(path, template(arguments.name), overwrite=arguments.overwrite)
    notify(Message("cli.written", path=path))
    return 0


class _Job(NamedTuple):
    """What a command judges, by whom and where."""

    judge: Judge
    metrics: Sequence[str]
    source: Source
    rows: Rows
    endpoint: Endpoint

    @classmethod
    def of(cls, arguments: argparse.Namespace, repeats: int | None = None, *, most: int | None = None) -> "_Job":
        """Read the judge and the rows; `most` is the largest number of metrics."""
        judge = judge_to_run(arguments.judge).with_model(model_name(arguments.model), repeats)
        metrics, endpoint = _metrics(judge, arguments)[:most], _endpoint(judge, arguments)
        source = Source(
            arguments.file,
            options.mapping_of(arguments.map),
            arguments.system,
            arguments.limit,
            split_names(arguments.tags),
        )
        rows = source.read(needs_of(judge, metrics))
        check_needs(judge, rows, metrics, arguments.file)
        return cls(judge, metrics, source, rows, endpoint)

    def caller(self, journal: Journal, asking: Asking, progress: ProgressCallback = no_progress) -> Caller:
        """Return the caller for the judge of this job."""
        return Caller(self.judge, self.endpoint, journal, asking, progress)

    def table(self, caller: Caller, name: str | None = None, *, is_planned: bool = False) -> Table:
        """Judge the rows."""
        return judge_file(self.judge, self.source, self.rows, caller, self.metrics, name=name, is_planned=is_planned)

    def opened(self, path: Path, arguments: argparse.Namespace, *, goes_on: bool, name: str | None = None) -> Journal:
        """Open the journal."""
        header = journal_header(self.judge, self.source, self.endpoint, self.metrics, name)
        header["source"]["digest"] = self.rows.answers.digest
        return Journal.open(path, header, resume=goes_on, force=arguments.overwrite)


def run_judge(arguments: argparse.Namespace) -> int:
    """Judge the rows of a file by a model, or count the calls that it would take."""
    arguments.resume |= arguments.ask_again
    goes_on = arguments.resume or bool(arguments.batch_in or arguments.batch_out)
    path = _journal_path(arguments)
    if arguments.dry_run:
        return _plan(_Job.of(arguments, arguments.repeats), path, arguments)
    _check_files(path, arguments)
    job = _Job.of(arguments, arguments.repeats)
    with job.opened(path, arguments, goes_on=goes_on, name=arguments.name) as journal:
        batch, failed = read_replies(arguments.batch_in, journal) if arguments.batch_in else (set(), 0)
        asking = Offline() if arguments.batch_out else chat_model(job.judge, job.endpoint, arguments)
        if failed:
            notify(Message("judges.failed_replies", failed=failed, replies=failed + len(batch)))
        with proportion(words_of(arguments.lang)("cli.progress_calls")) as progress, notice_when_stopped(journal):
            caller = with_limits(job.caller(journal, asking, progress), arguments)
            table = job.table(caller, arguments.name)
        if unused := len(batch - caller.used.keys()):
            notify(Message("judges.unused_replies", unused=unused, replies=len(batch)))
        if isinstance(asking, Offline):
            return _write_batch(job, asking, arguments)
        arguments.overwrite |= goes_on
        _deliver(table, arguments)
        notify_spent(asking.spending, journal)
    return _checked(table, caller, arguments.max_errors)


def _check_files(journal: Path, arguments: argparse.Namespace) -> None:
    """Refuse, before any call is paid for, files that would replace an input, one another or an unrelated result."""
    is_new_batch = arguments.batch_out and not (arguments.resume or arguments.batch_in)
    goes_on = arguments.overwrite or (journal.exists() and not is_new_batch)  # a new run opens no journal that exists
    inputs = [each for each in (arguments.file, arguments.judge, arguments.batch_in) if each]
    check_outputs(arguments.output, [*inputs, journal], overwrite=goes_on)
    for path in filter(None, (arguments.qrels, arguments.batch_out)):
        check_output(path, [*inputs, journal, *arguments.output], overwrite=goes_on)
    check_distinct(journal, inputs)


def _metrics(judge: Judge, arguments: argparse.Namespace) -> Sequence[str]:
    """Return the metrics that are asked for: by -m, or by the name that another tool has for one of them."""
    named = metric_called(arguments.judge)
    if arguments.judge != judge.name and (differs := judge_differs(arguments.judge)):
        notify(Message("judges.called_so", name=arguments.judge, judge=judge.name, differs=differs))
    return chosen_metrics(judge, split_names(arguments.metric or []) or ([named] if named else []))


def run_replay(arguments: argparse.Namespace) -> int:
    """Make the result of a journal again, without asking a model."""
    check_outputs(arguments.output, [arguments.journal], overwrite=arguments.overwrite)
    journal = Journal.read(path_of(arguments.journal))
    header = journal.header
    if header.get("source") is None:
        raise ConfigError(Message("judges.tier_journal"), where=arguments.journal, hint=Message("judges.tier_hint"))
    judge = judge_of(header["judge"], arguments.journal)
    metrics = chosen_metrics(judge, header["metrics"])
    recorded = {name: value for name, value in header["source"].items() if name in Source.__slots__}
    source = Source(**{**recorded, "path": _rows_of(recorded["path"], arguments)})
    rows = source.read(needs_of(judge, metrics))
    named = rows.answers.digest if arguments.file else None
    if header["source"].get("digest", named) != rows.answers.digest:
        hint = Message("judges.replay_hint", journal=arguments.journal)
        raise InputError(Message("judges.other_rows"), where=source.path, hint=hint)
    job = _Job(judge, metrics, source, rows, Endpoint(header["model"], header["endpoint"]))
    caller = job.caller(journal, Recordings(journal))
    table = job.table(caller, arguments.name or header.get("name"))
    _deliver(table, arguments)
    return _checked(table, caller, arguments.max_errors)


def _rows_of(path: str, arguments: argparse.Namespace) -> str:
    """Return the file of rows: that which is named, else that of the journal, if it lies beside it or below.

    A journal of somebody else chooses no other file of this machine, whose rows would be in the result.
    """
    is_beside = Path(path).resolve().is_relative_to(Path(arguments.journal).resolve().parent)
    if arguments.file is None and not (is_beside and Path(path).exists()):
        hint = Message("judges.replay_hint", journal=arguments.journal)
        raise InputError(Message("judges.no_rows", path=path), where=arguments.journal, hint=hint)
    return arguments.file or path


def run_claims(arguments: argparse.Namespace) -> int:
    """Write the claims of a judged result as a result of their own, to be labelled."""
    check_outputs([arguments.output], [arguments.result], suffixes=(RECORDED,), overwrite=arguments.overwrite)
    table = claims_of(load(arguments.result))
    save_all([table], arguments.output, overwrite=arguments.overwrite)
    notify(Message("judges.claims_written", path=arguments.output, claims=len(table)))
    return 0


def run_probe(arguments: argparse.Namespace) -> int:
    """Change rows in ways whose effect on a score is known, and count where the judge does not follow."""
    check_outputs(arguments.output, [arguments.file], suffixes=(".md", ".json"), overwrite=arguments.overwrite)
    path = _journal_path(arguments)
    check_distinct(path, [arguments.file, arguments.judge, *arguments.output])
    job = _Job.of(arguments, most=1)
    with job.opened(path, arguments, goes_on=arguments.resume) as journal:
        model = chat_model(job.judge, job.endpoint, arguments)
        with proportion(words_of(arguments.lang)("cli.progress_calls")) as progress, notice_when_stopped(journal):
            caller = with_limits(job.caller(journal, model, progress), arguments)
            results = list(probe(job.judge, list(map(row_of, job.rows.rows)), caller, job.metrics[0]))
        notify_spent(model.spending, journal)
    _write_blocks(probe_blocks(job.judge, results, words_of(arguments.lang)), arguments)
    check_calls(caller, arguments.max_errors, arguments.file)
    return 0


def run_calibrate(arguments: argparse.Namespace) -> int:
    """Compare verdicts with labels of people, and say what may be believed of them."""
    inputs = [arguments.file, *([arguments.labels] if arguments.labels else []), *arguments.runs]
    check_outputs(arguments.output, inputs, suffixes=(".md", ".json"), overwrite=arguments.overwrite)
    metric = split_names(arguments.metric or [])
    if len(metric) > 1:
        raise ConfigError(Message("calibration.one_metric", names=", ".join(metric)))
    settings = LabelSettings(
        metric[0] if metric else None,
        split_names(arguments.label),
        split_names(arguments.positive),
        arguments.random,
        arguments.unknown == "against",
        arguments.topics,
        arguments.systems,
        arguments.runs,
    )
    table, calibration, left_out = read_labelled(arguments.file, arguments.labels, settings)
    least = LEAST_KAPPA if arguments.least_kappa is None else arguments.least_kappa
    blocks = calibration_blocks(table, calibration, least, left_out, words_of(arguments.lang))
    _write_blocks(blocks, arguments)
    return 0


def _write_blocks(blocks: Sequence[Block], arguments: argparse.Namespace) -> None:
    def write(path: Path) -> None:
        write_whole(path, RENDERERS[path.suffix.lower()](blocks, arguments.lang), overwrite=arguments.overwrite)

    write_and_show(arguments.output, write, lambda: show_blocks(blocks, arguments))


def _plan(job: _Job, path: Path, arguments: argparse.Namespace) -> int:
    """Count the calls and tokens that a run would take."""
    asking = Offline()
    caller = job.caller(Journal.read(path) if path.exists() else Journal(path, {}), asking)
    job.table(replace(caller, asks_again=arguments.ask_again), is_planned=True)
    tokens = sum(tokens_about(job.judge, call) for call in asking.calls)
    planned = Message("judges.planned", calls=len(asking.calls), tokens=tokens, known=len(caller.used))
    print_text(planned.text(arguments.lang) + "\n")
    if cost := replace(spending_of(arguments), sent=tokens).cost:
        print_text(Message("judges.planned_cost", cost=f"{cost:.4g}").text(arguments.lang) + "\n")
    return 0


def _write_batch(job: _Job, asking: Offline, arguments: argparse.Namespace) -> int:
    """Write the calls that can be made now; those of later steps follow when the replies have been read."""
    if asking.calls:
        goes_on = arguments.overwrite or arguments.resume or bool(arguments.batch_in)
        write_calls(arguments.batch_out, job.judge, job.endpoint, asking.calls, overwrite=goes_on)
    code = "judges.batch_written" if asking.calls else "judges.batch_empty"
    notify(Message(code, path=arguments.batch_out, calls=len(asking.calls)))
    return 0


def _endpoint(judge: Judge, arguments: argparse.Namespace) -> Endpoint:
    if arguments.model is not None:
        return Endpoint.parse(arguments.model)
    if getattr(arguments, "dry_run", False):
        return Endpoint(judge.model, "")
    raise ConfigError(Message("judges.no_model"), hint=Message("judges.model_hint"))


def _journal_path(arguments: argparse.Namespace) -> Path:
    """Return the journal: the one named, else beside the results file, else a new one under results/."""
    if arguments.journal is not None:
        return Path(arguments.journal)
    recorded = [path for path in arguments.output if path.suffix.lower() == RECORDED]
    if recorded:
        return Path(recorded[0]).with_suffix(SUFFIX)
    if arguments.resume or getattr(arguments, "batch_out", None) or getattr(arguments, "batch_in", None):
        raise ConfigError(Message("judges.no_journal"), hint=Message("judges.no_journal_hint"))
    name = Path(arguments.judge).stem
    return Path("results") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}{SUFFIX}"


def _deliver(table: Table, arguments: argparse.Namespace) -> None:
    if arguments.qrels is not None:
        lines = list(qrels_lines(table.ids, table.outputs))
        if not lines:
            raise ConfigError(Message("judges.no_grades"), where=str(arguments.qrels))
        write_whole(arguments.qrels, "".join(lines), overwrite=arguments.overwrite)
    deliver(Report([table], (), arguments.per_item, units="auto"), arguments)


def _checked(table: Table, caller: Caller, most: float) -> int:
    """Raise an error if calls were not made, too many failed, or nothing has a verdict; the results are kept."""
    check_calls(caller, most, table.name)
    column = table.columns[table.metrics[0]]
    if not len(column.scored):
        message = Message("judges.nothing_judged", why=column.reasons[0].reason)
        raise SystemFailure(message, where=table.name, hint=Message("judges.nothing_judged_hint"))
    return 0


_JUDGE: Final = argument("judge", metavar="JUDGE", help="help.judge_file")
_READING: Final = Group(
    "help.group_answers",
    [
        argument("-m", "--metric", action="append", metavar="NAME", help="help.metric_several"),
        repeated("--map", type=options.field_name, metavar="FIELD=NAME", help="help.map"),
        argument("--system", metavar="NAME", help="help.answers_system"),
        repeated("--tags", metavar="COLUMN", help="help.tags_columns"),
        argument("--limit", type=options.positive, metavar="N", help="help.limit"),
    ],
)
_NAME: Final = argument("--name", type=options.name_of_result, metavar="NAME", help="help.result_name")
_QRELS: Final = argument("--qrels", type=Path, metavar="FILE", help="help.judge_qrels")
COMMANDS: Final = {
    "judge": Actions(
        "judge",
        {
            "new": Command(
                run_new,
                [
                    argument("name", metavar="NAME", help="help.judge_name"),
                    argument("file", metavar="FILE", nargs="?", type=Path, help="help.judge_new_file"),
                    options.OVERWRITE,
                    options.LANGUAGE,
                ],
            ),
            "run": Command(
                run_judge,
                [
                    _JUDGE,
                    argument("file", metavar="FILE", help="help.predictions"),
                    _READING,
                    MODEL,
                    Group(
                        "help.group_plan",
                        [
                            flag("--dry-run", help="help.dry_run"),
                            flag("--ask-again", help="help.ask_again"),
                            argument("--batch-out", type=Path, metavar="FILE", help="help.batch_out"),
                            argument("--batch-in", type=Path, metavar="FILE", help="help.batch_in"),
                        ],
                    ),
                    _NAME,
                    _QRELS,
                    options.OUTPUT,
                ],
            ),
            "claims": Command(
                run_claims,
                [
                    argument("result", metavar="RESULT", help="help.result"),
                    argument("-o", "--output", type=path_of, required=True, metavar="FILE", help="help.claims_output"),
                    options.OVERWRITE,
                    options.LANGUAGE,
                ],
            ),
            "calibrate": Command(
                run_calibrate,
                [
                    argument("file", metavar="FILE", help="help.calibrate_file"),
                    argument("labels", metavar="LABELS", nargs="?", help="help.calibrate_labels"),
                    argument("-m", "--metric", action="append", metavar="NAME", help="help.calibrate_metric"),
                    repeated("--label", metavar="COLUMN", help="help.label"),
                    repeated("--positive", metavar="VALUE", help="help.positive"),
                    flag("--random", help="help.random"),
                    argument("--unknown", choices=("left_out", "against"), default="left_out", help="help.unknown"),
                    argument("--topics", metavar="COLUMN", help="help.topics"),
                    argument("--systems", metavar="COLUMN", help="help.calibrate_systems"),
                    repeated("--run", dest="runs", metavar="RUN", help="help.calibrate_run"),
                    options.LEAST_KAPPA,
                    repeated("-o", "--output", type=path_of, metavar="FILE", help="help.agreement_output"),
                    options.OVERWRITE,
                    options.JSON,
                    options.LANGUAGE,
                ],
            ),
            "probe": Command(
                run_probe,
                [
                    _JUDGE,
                    argument("file", metavar="FILE", help="help.predictions"),
                    _READING,
                    MODEL,
                    repeated("-o", "--output", type=path_of, metavar="FILE", help="help.agreement_output"),
                    options.OVERWRITE,
                    options.JSON,
                    options.LANGUAGE,
                ],
            ),
            "replay": Command(
                run_replay,
                [
                    argument("journal", metavar="JOURNAL", help="help.journal"),
                    argument("file", metavar="FILE", nargs="?", help="help.replay_file"),
                    MAX_ERRORS,
                    _NAME,
                    _QRELS,
                    options.OUTPUT,
                ],
            ),
        },
    )
}
