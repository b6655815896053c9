"""Metrics by name: each is a pure function, and its signature is its schema.

    @metric("P")
    def precision(rankings: Rankings, *, k: int, rel: int = 1) -> FloatArray:
        "Share of the first k documents that are relevant."

The keyword-only arguments are the parameters that a name may have: `P(rel=2)@5` calls `precision(…, rel=2, k=5)`.
Other packages register metrics by the same decorator, in a module named on the command line or by an entry point in
the group `steelyard.metrics`.
"""

import importlib
import inspect
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from steelyard import limits
from steelyard.errors import ConfigError, SteelyardError, UnknownName
from steelyard.i18n import Language, Localized, Message, as_message
from steelyard.registry.entry_points import EntryPointGroup

if TYPE_CHECKING:
    from steelyard.table import FloatArray

Function = TypeVar("Function", bound=Callable[..., Any])
Kind = Literal["retrieval", "answers"]
Number = int | float

NEEDS = (
    *("prediction", "references", "question", "contexts", "reference_contexts", "ids", "spans", "evidence", "task"),
    *("seconds", "tokens", "cost"),
)
"""What a metric can need of a row: `ids` and `spans` are those of the contexts and of the reference contexts,
`evidence` is either ids, or contexts and something to compare them with; `task` is the tag of that name; `seconds`,
`tokens` and `cost` are what the answer cost."""
USUAL_NEEDS = ("prediction", "references")
INSTALLED: Final = EntryPointGroup[ModuleType | Callable[..., Any]](
    "steelyard.metrics",
    Message("plugins.metrics"),
    lambda value: isinstance(value, ModuleType) or callable(value),
)
"""Metrics of installed packages: a module with metrics, or a metric; the name of an entry point is not used."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric as registered: what it is called, what computes it, and what its parameters are by default.

    A parameter whose default is None may be left out; one without a default (`required`) may not. `bounds` hold for
    every item. `whole` metrics are cut only where their name says so (`RR@10`), not by a list of cut-offs. Counts
    are `summed`: people quote their total; `geometric` metrics are averaged by the geometric mean. `at` is the
    parameter that a name has after its @, and `levels` are its values if the name has none. Parameters annotated `int`
    are `integers`. `unscored` is the reason why an answer has no score where the metric gives NaN; without a reason NaN
    is an error. `needs` is what a row of answers must have; the metric is given only rows that have it.
    `subtopics` says that it needs judgments by subtopic. `counts` are parts that are counts and may exceed the bounds.
    """

    name: str
    kind: Kind
    compute: Callable[..., Any]
    defaults: Mapping[str, Number | None]
    required: frozenset[str]
    bounds: tuple[float, float]
    whole: bool = False
    summed: bool = False
    integers: frozenset[str] = frozenset()
    unscored: Message | None = None
    needs: frozenset[str] = frozenset()
    geometric: bool = False
    at: str = "k"
    levels: tuple[Number, ...] = ()
    subtopics: bool = False
    counts: frozenset[str] = frozenset()

    @property
    def parameters(self) -> frozenset[str]:
        """Return the parameters that a name may have."""
        return self.required | frozenset(self.defaults)

    @property
    def own_needs(self) -> list[str]:
        """Return what the metric needs of a row of answers, if that is not a prediction and references."""
        is_usual = self.kind != "answers" or self.needs == frozenset(USUAL_NEEDS)
        return [] if is_usual else [need for need in NEEDS if need in self.needs]

    @property
    def explanation(self) -> str:
        """Return what the metric means, its conventions and its source."""
        return inspect.getdoc(self.compute) or ""

    def explained(self, language: Language) -> list[str]:
        """Return the explanation in a language, line by line; in English where it is not translated."""
        return list(_translated(language).get(self.name) or _whole_lines(self.explanation))


@cache
def _translated(language: Language) -> Mapping[str, Sequence[str]]:
    """Return the explanations of metrics by name in a language; English ones are their docstrings."""
    path = Path(__file__).with_name(f"explanations.{language}.json")
    found: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def _whole_lines(text: str) -> list[str]:
    """Return the lines of a docstring, with those that are indented joined to the line before."""
    found: list[str] = []
    for line in filter(str.strip, text.split("\n")):
        if line.startswith(" ") and found:
            found[-1] += f" {line.strip()}"
        else:
            found.append(line.strip())
    return found


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric with its parameters: a value whose text reads back to the same measure."""

    metric: Metric = field(compare=False)
    name: str
    parameters: tuple[tuple[str, Number], ...] = ()

    @classmethod
    def of(cls, metric: Metric, parameters: Mapping[str, Number]) -> "Measure":
        """Check the parameters and put them in order; an explicit value stays explicit, also if it is the default."""
        for parameter in parameters:
            if parameter not in metric.parameters:
                names = ", ".join(sorted(metric.parameters))
                code = "metrics.parameters_hint" if names else "metrics.no_parameters_hint"
                message = Message("metrics.no_parameter", name=metric.name, parameter=parameter)
                raise ConfigError(message, hint=Message(code, name=metric.name, **({"names": names} if names else {})))
            _check_number(metric, parameter, parameters[parameter])
        missing = metric.required - frozenset(parameters)
        if missing:
            raise ConfigError(
                Message("metrics.parameters_missing", name=metric.name, names=", ".join(sorted(missing))),
                hint=Message("metrics.cutoff_hint", name=metric.name, cut=metric.levels[1] if metric.levels else 10),
            )
        values = {key: float(value) if key == metric.at != "k" else value for key, value in parameters.items()}
        return cls(metric, metric.name, tuple(sorted(values.items())))

    def settings(self) -> dict[str, Number | None]:
        """Return all parameters, explicit or by default."""
        return {**self.metric.defaults, **dict(self.parameters)}

    def sets(self, parameter: str) -> bool:
        """Return whether the name itself sets this parameter."""
        return any(key == parameter for key, _ in self.parameters)

    def __str__(self) -> str:
        at = self.metric.at
        cut = dict(self.parameters).get(at)
        inner = ",".join(f"{key}={value}" for key, value in self.parameters if key != at)
        return self.name + (f"({inner})" if inner else "") + (f"@{cut}" if cut is not None else "")


@dataclass(frozen=True, slots=True)
class Scored:
    """What a metric of answers may return instead of an array: values with their parts, and notes by row.

    `reasons` says of a row why its value is NaN. Parts may be NaN anywhere.
    """

    values: "FloatArray"
    parts: Mapping[str, "FloatArray"] = field(default_factory=dict)
    notes: Mapping[int, Localized | str] = field(default_factory=dict)
    reasons: Mapping[int, Message | str] = field(default_factory=dict)


class MetricFailure(ConfigError):
    """A metric of another package raised an error, which is its own."""

    def __init__(self, metric: Metric, error: Exception, row: str = "") -> None:
        """`row` is the id of the row that it cannot compute, where one is known."""
        package = metric.compute.__module__.partition(".")[0]
        code = "metrics.row_failed" if row else "metrics.failed"
        reason = f"{type(error).__name__}: {error}"
        message = Message(code, name=metric.name, package=package, row=row, error=reason)
        super().__init__(message, where=_line_of(metric, error), hint=Message("metrics.failed_hint"))
        self.metric, self.error = metric, error


def _line_of(metric: Metric, error: Exception) -> str | None:
    """Return the last line of the file of a metric that an error passed through."""
    file = inspect.getsourcefile(metric.compute)
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == file]
    return f"{file}:{lines[-1]}" if lines else None


def computed(metric: Metric, *given: Any, **settings: Any) -> Any:
    """Return what a metric gives; an error that one of another package raises is a MetricFailure."""
    if metric.compute.__module__.startswith(f"{__package__.partition('.')[0]}."):
        return metric.compute(*given, **settings)
    try:
        return metric.compute(*given, **settings)
    except SteelyardError:
        raise
    except Exception as error:
        raise MetricFailure(metric, error) from error


REGISTRY: dict[str, Metric] = {}
LOADED: list[tuple[str, str | None]] = []
"""Modules of metrics that were loaded by name, with the folder in which they may be: for other processes."""


def metric(
    name: str,
    *,
    kind: Kind = "retrieval",
    bounds: tuple[float, float] = (0.0, 1.0),
    whole: bool = False,
    summed: bool = False,
    unscored: Message | str = "",
    needs: Sequence[str] = USUAL_NEEDS,
    geometric: bool = False,
    at: str = "k",
    levels: Sequence[Number] = (),
    subtopics: bool = False,
    counts: Sequence[str] = (),
) -> Callable[[Function], Function]:
    """Register a function as the metric `name`; the function itself is left as it is."""
    _check_needs(needs)

    def register(function: Function) -> Function:
        _check_new(name, function)
        REGISTRY[name] = Metric(
            name,
            kind,
            function,
            **_keywords(function),
            bounds=bounds,
            whole=whole,
            summed=summed,
            unscored=as_message(unscored) if unscored else None,
            needs=frozenset(needs if kind == "answers" else ("ids",)),
            geometric=geometric,
            at=at,
            levels=tuple(levels),
            subtopics=subtopics,
            counts=frozenset(counts),
        )
        return function

    return register


def _check_new(name: str, function: Callable[..., Any]) -> None:
    if name in REGISTRY and REGISTRY[name].compute is not function:
        raise ConfigError(Message("metrics.duplicate_metric", name=name), hint=Message("metrics.duplicate_metric_hint"))


def _check_needs(needs: Sequence[str]) -> None:
    unknown = next((need for need in needs if need not in NEEDS), None)
    if unknown is not None:
        raise UnknownName.of(Message("words.need_of_a_metric"), unknown, NEEDS)


def _keywords(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the parameters of a metric as fields of `Metric`: the keyword-only arguments of its function."""
    keywords = [p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    return {
        "defaults": {p.name: p.default for p in keywords if p.default is not p.empty},
        "required": frozenset(p.name for p in keywords if p.default is p.empty),
        "integers": frozenset(p.name for p in keywords if p.annotation in (int, int | None)),
    }


def column_of(values: object, measure: Measure, rows: int) -> "FloatArray":
    """Return the values of a metric, one for each of `rows` items and within its bounds; NaN only with a reason."""
    import numpy as np

    try:
        column = np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ConfigError(Message("metrics.value_not_a_number", measure=str(measure))) from None
    if column.shape != (rows,):
        raise ConfigError(Message("metrics.wrong_shape", measure=str(measure), shape=column.shape, rows=rows))
    has_reason = measure.metric.kind == "answers" and measure.metric.unscored
    scores = column[~np.isnan(column)] if has_reason else column
    if not np.isfinite(scores).all():
        raise ConfigError(
            Message("metrics.value_not_finite", measure=str(measure)),
            hint=Message("metrics.nan_hint", name=measure.name) if measure.metric.kind == "answers" else None,
        )
    limits.SCORE.check(float(np.abs(scores).max(initial=0.0)), Message("words.a_value_of", measure=str(measure)))
    _check_bounds(scores, measure)
    return column


def _check_bounds(scores: "FloatArray", measure: Measure) -> None:
    """Refuse what `load` would refuse."""
    from steelyard.table import ROUNDING

    low, high = measure.metric.bounds
    outside = scores[(scores < low - ROUNDING) | (scores > high + ROUNDING)]
    if outside.size:
        raise ConfigError(
            Message("metrics.value_out_of_bounds", measure=str(measure), value=float(outside[0]), low=low, high=high),
            hint=Message("metrics.bounds_hint", name=measure.name),
        )


def load_metrics(modules: Sequence[str] = (), folder: Path | None = None) -> None:
    """Import the metrics of installed packages (entry points) and of these modules, which may be in `folder`."""
    from steelyard.registry.kinds import register_all

    if modules or not INSTALLED.is_empty():  # built-in metrics first: then a clash of names is an error of the others
        register_all()
    INSTALLED.load_all()
    for module in modules:
        _load_module(module, [] if folder is None else [str(folder)])
        LOADED.append((module, None if folder is None else str(folder)))


def _load_module(module: str, folders: list[str]) -> None:
    """Import a module, looking into `folders` only after everything that is installed."""
    if not module:
        raise ConfigError(Message("metrics.no_module_given"), hint=Message("metrics.metrics_from_hint"))
    unknown = UnknownName(Message("metrics.no_module_called", module=module), hint=Message("metrics.module_hint"))
    if not (all(module.split(".")) and module.isprintable()):  # a path, or a place relative to no package
        raise unknown
    sys.path += folders
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0] and error.name != module:
            raise ConfigError(Message("metrics.module_import_failed", module=module, error=error)) from None
        raise unknown from None
    finally:
        del sys.path[len(sys.path) - len(folders) :]


def _check_number(metric: Metric, parameter: str, value: Number) -> None:
    if parameter in metric.integers and not isinstance(value, int):
        raise ConfigError(Message("metrics.parameter_not_integer", name=metric.name, parameter=parameter, value=value))
    if not math.isfinite(value):
        raise ConfigError(Message("metrics.parameter_not_finite", name=metric.name, parameter=parameter, value=value))
    if parameter in {"beta", "depth"} and value < 0:
        raise ConfigError(Message("metrics.parameter_negative", name=metric.name, parameter=parameter, value=value))
    if parameter in {"k", "chars"} and value < 1:
        raise ConfigError(Message("metrics.invalid_cutoff", text=value), hint=Message("metrics.ndcg_hint"))
