"""Would more rows help? The answers of a plan in sentences: ranges, never a bare number."""

from __future__ import annotations

from backstay.report._words import THIN, count, metric_title
from backstay.results import Plan, RowsNeeded


def needed_words(plan: Plan) -> list[str]:
    """Return what a plan says, a sentence or two each.

    Parameters
    ----------
    plan : Plan
        Of ``Results.plan``.

    Returns
    -------
    list of str
        On the rows with which two studies share half of their lists, and on those of a
        validation; without those that are not known.
    """
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
    low = f"{_number(needed.low)} or fewer" if needed.low <= least else _number(needed.low)
    high = f"more than {_number(most)}" if needed.high > most else _number(needed.high)
    if needed.low > most:
        between = f"all of the range is beyond {_number(most)}"
    elif needed.high <= least:
        between = f"all of the range is {_number(least)} or fewer"
    else:
        between = f"range: {low} to {high}"
    here = count(plan.n_rows, _noun(plan)[:-1])
    if needed.verdict == "already":
        return f"the {here} of this study are enough, by the best guess ({between})"
    if needed.verdict == "beyond":
        return f"more than {_number(most)} {_noun(plan)}, four times as many as here ({between})"
    return f"about {_number(needed.value)} {_noun(plan)}; this study has {plan.n_rows} ({between})"


def _noun(plan: Plan) -> str:
    return "groups" if plan.grouped else "rows"


def _number(rows: float) -> str:
    """Return a number of rows with the two digits that mean something.

    >>> _number(118.4), _number(43.2), _number(1234)
    ('120', '43', '1\u202f200')
    """
    rounded = round(rows, 1 - len(str(int(rows))) + 1) if rows >= 100 else round(rows)
    return f"{int(rounded):,}".replace(",", THIN)
