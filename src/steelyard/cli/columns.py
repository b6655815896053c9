"""Which column of a result a name on the command line means, in anybody's spelling."""

from collections.abc import Collection, Sequence


def column_called(name: str, columns: Collection[str]) -> str:
    """The column that the name, or our spelling of it, is; the name as it was given where there is none."""
    from steelyard.errors import SteelyardError
    from steelyard.registry.names import parse_measure

    if name in columns:
        return name
    try:
        ours = str(parse_measure(name))
    except SteelyardError:  # no metric of ours; the result may still say which columns it has
        return name
    return ours if ours in columns else name


def columns_called(names: Sequence[str] | None, columns: Collection[str]) -> list[str] | None:
    """The columns for names of which one argument may hold several, each once; None where none is named."""
    from steelyard.registry.names import split_names

    if not names:
        return None
    return list(dict.fromkeys(column_called(name, columns) for name in split_names(names)))
