"""What a report calls times until an event and their effects, and what to keep in mind."""

from typing import TYPE_CHECKING

from backstay._words import counted
from backstay.targets._target import Words

if TYPE_CHECKING:
    from backstay.targets._survival import SurvivalTarget

# Below so many events, or this share of rows with one, a reader should know.
FEW_EVENTS, RARE = 50, 0.2
MODELS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "cox": (
        "Cox regression",
        ("CoxRidge(",),
        "proportional hazards, with small coefficients: a ridge penalty as large as the number of "
        "features, which have deviation 1",
    ),
}


def survival_words(target: "SurvivalTarget") -> Words:
    """Return what a report calls times until an event."""
    return Words(
        outcome="the time until the event",
        described=_events(target),
        task="Regression of the time until an event",
        errors="Predicted risk and observed events",
        separation="concordance",
        direction="risk when high",
        directed="{} risk",
        difference="how far rows lie above those at risk when they have their event, on average",
        effect="log hazard ratio per standard deviation",
        effect_source=(
            "Cox, D. R. (1972). Regression models and life-tables. Journal of the Royal "
            "Statistical Society B 34, 187-220."
        ),
        test="the score test of Cox regression",
        columns={"outcome": "hazard ratio"},
        models=MODELS,
    )


def _events(target: "SurvivalTarget") -> str:
    """Say how many rows have the event; a target without rows has none."""
    if not len(target):
        return "times until an event"
    return f"times until an event, which {target.n_events} of {len(target)} rows have"


def survival_concerns(target: "SurvivalTarget", metric: str | None) -> list[tuple[str, str]]:
    """Return what to keep in mind: few events, and events that few rows have."""
    n, concerns = target.n_events, []
    if n < FEW_EVENTS:
        text = (
            f"{len(target)} rows have {counted(n, 'event')}. Events, not rows, decide how much "
            "can be learned, and how sure a concordance is."
        )
        concerns.append(("There are few events.", text))
    if n < RARE * len(target):
        text = (
            f"{1 - n / len(target):.0%} of the rows are censored. That they left says nothing "
            "about their risk is an assumption that the data cannot show."
        )
        concerns.append(("Most rows are censored.", text))
    return concerns


def survival_remarks(target: "SurvivalTarget") -> list[tuple[str, str]]:
    """Return how long rows were followed, and which times metrics are about."""
    known, n = target.follow_up, target.n_events
    followed = (
        f"median {known.median:.4g} (reverse Kaplan–Meier), {counted(n, 'event')} in "
        f"{counted(len(target), 'row')}"
    )
    return [
        ("follow-up", followed),
        ("horizon", f"{known.horizon:.4g}: survival is predicted up to this time"),
        ("concordance", f"compares events up to τ = {known.tau:.4g}"),
    ]
