"""Would more rows help? The answers of a plan in sentences: ranges, never a bare number."""

from backstay.report._words import THIN, count, metric_title
from backstay.results import Plan, RowsNeeded


def needed_words(plan: Plan) -> list[str]:
    """Return what a plan says of the rows that are needed, a sentence each."""
    words = []
    for needed, aim in (
        (plan.shared, "For two studies to share half of their lists"),
        (plan.validation, f"For a validation to pin the {metric_title(plan.metric)} to ±0.05"),
    ):
        if needed is not None:
            words.append(f"{aim}: {_rows(needed, plan)}.")
    if words:
        words.append(
            f"Ranges are 95{THIN}% ranges; curves are followed to {_number(4 * plan.n_rows)} "
            f"{_noun(plan)}, and not further."
        )
    return words


def _rows(needed: RowsNeeded, plan: Plan) -> str:
    most, least = 4 * plan.n_rows, float(plan.frame()["rows"].min())
    ends = []
    for rows in (needed.low, needed.high):
        inside = f"more than {_number(most)}" if rows > most else _number(rows)
        ends.append(f"{_number(least)} or fewer" if rows <= least else inside)
    wide = ends[0] != ends[1]
    between = f"range: {' to '.join(ends)}" if wide else f"all of the range is {ends[0]}"
    if needed.verdict == "already":
        here = count(plan.n_rows, _noun(plan)[:-1])
        return f"the {here} of this study are enough, by the best guess ({between})"
    if needed.verdict == "beyond":
        return f"more than {_number(most)} {_noun(plan)}, four times as many as here ({between})"
    return f"about {_number(needed.value)} {_noun(plan)}; this study has {plan.n_rows} ({between})"


def _noun(plan: Plan) -> str:
    return "groups" if plan.grouped else "rows"


def _number(rows: float) -> str:
    """Return a number of rows with the two digits that mean something."""
    rounded = round(rows, 1 - len(str(int(rows))) + 1) if rows >= 100 else round(rows)
    return f"{int(rounded):,}".replace(",", THIN)
