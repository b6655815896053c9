"""Whether two results can be compared: of one kind, with the same questions and the same settings."""

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.stats.pairing import paired_questions, quoted
from steelyard.table import Table

IF_NEEDED = ("reference contexts",)
OWN_SETTINGS = ("run", "predictions", "format", "system", "suite", "steelyard")
"""Settings in which comparable tables may differ: they name the system itself."""

FORCE_HINT = Message("stats.same_settings_hint")


def check_comparable(new: Table, old: Table) -> None:
    """Raise an error if two tables have different settings; `compare` itself only lists them in `settings_differ`."""
    check_same_kind(new, old)
    check_questions(new, old)
    names = settings_that_differ(new, old)
    if names:
        unlike = ", ".join(f"{name} ({_setting(new, name)} ≠ {_setting(old, name)})" for name in names)
        message = Message("stats.settings_differ", new=new.name, old=old.name, settings=unlike)
        raise ConfigError(message, hint=FORCE_HINT)


def check_questions(new: Table, old: Table) -> None:
    """Raise an error if two tables have the same ids, but for other questions."""
    questions = paired_questions(new, old)
    if questions.all_differ:
        texts = quoted(*questions.differing[0])
        message = Message("stats.questions_differ", new=new.name, old=old.name, **texts)
        raise ConfigError(message, hint=Message("stats.questions_differ_hint"))


def settings_that_differ(new: Table, old: Table) -> tuple[str, ...]:
    """The names of the settings, apart from the system itself, in which two results differ.

    Reference contexts are in the settings only of results whose metrics need them.
    """
    both = (new.signature, old.signature)
    lacking = [name for name in IF_NEEDED if any(signature.get(name) is None for signature in both)]
    return tuple(new.signature.differences(old.signature, apart_from=(*OWN_SETTINGS, *lacking)))


def check_same_kind(new: Table, old: Table) -> None:
    """Raise an error if two tables are of different kinds."""
    if new.kind != old.kind:
        raise ConfigError(
            Message("stats.kinds_differ", new=new.name, new_kind=new.kind, old=old.name, old_kind=old.kind),
            hint=Message("stats.imported_kind_hint") if "scores" in (new.kind, old.kind) else None,
        )


def _setting(table: Table, setting: str) -> str:
    return table.signature.get(setting) or "–"
