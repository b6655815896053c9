"""Names of metrics on the command line, in any accepted spelling, mapped to the columns of a result."""

from collections.abc import Collection, Sequence


def column_called(name: str, columns: Collection[str]) -> str:
    """The column for a name in any accepted spelling; the name itself if there is no such column."""
    from steelyard.errors import SteelyardError
    from steelyard.registry.names import parse_measure

    if name in columns:
        return name
    try:
        ours = str(parse_measure(name))
    except SteelyardError:  # not a registered metric; the result may still have such a column
        return name
    return ours if ours in columns else name


def columns_called(names: Sequence[str] | None, columns: Collection[str]) -> list[str] | None:
    """The columns for comma-separated names, without duplicates; None without names."""
    from steelyard.registry.names import split_names

    if not names:
        return None
    return list(dict.fromkeys(column_called(name, columns) for name in split_names(names)))
