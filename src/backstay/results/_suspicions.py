"""What in the data could make a score look better than it is: a filter, a shift, and all else."""

import numpy as np
from scipy import stats

from backstay._suspicion import Suspicion, by_severity
from backstay.results._records import Records
from backstay.targets import Effects

# In fewer features neither a filter nor a shift can be told from good luck.
FEW, FEW_TO_SHIFT = 20, 50
# Where features were filtered by the outcome, the values of |z| begin with a jump: all but 2 % of
# them lie beyond an edge above the first number, and a quarter closer to it than the second. Shifts
# have no edge, and features that truly differ trail off. Beyond the third no filter is needed.
EDGE, SHARP, BEYOND = 1.0, 0.8, 8.0
# Nearly all features are high in the same rows, and half of them significantly ...
SAME, SIGNIFICANT = 0.9, 0.05
# ... or nearly all differ significantly, and half of them by so many standard deviations.
NEARLY_ALL, LARGE = 0.95, 1.0


def suspicions_of_effects(effects: Effects | None) -> list[Suspicion]:
    """Return what the effects of all features make suspicious: a filter, or a shift of all."""
    if effects is None or (known := np.isfinite(effects.p_value)).sum() < FEW:
        return []
    p = effects.p_value[known]
    z = stats.norm.isf(np.maximum(p, 1e-300) / 2)
    edge, quarter, middle = np.quantile(z, [0.02, 0.25, 0.5])
    where, counts = np.unique(effects.direction[known].astype(str), return_counts=True)
    same, significant = counts.max() / len(p), float((p < SIGNIFICANT).mean())
    if EDGE <= edge <= BEYOND and quarter - edge < SHARP and same < SAME:
        largest = float(np.quantile(p, 0.98))
        return [Suspicion("filtered", 2, {"features": len(p), "p_value": largest})]
    one_way = same >= SAME and middle >= stats.norm.isf(SIGNIFICANT / 2)
    sizes = np.nan_to_num(np.abs(effects.effect[known]))
    all_ways = significant >= NEARLY_ALL and np.median(sizes) >= LARGE
    if len(p) < FEW_TO_SHIFT or not (one_way or all_ways):
        return []
    figures = {
        "significant": significant,
        "same": float(same),
        "where": str(where[counts.argmax()]),
    }
    return [Suspicion("shifted", 2, figures)]


def suspicions_of(records: Records) -> list[Suspicion]:
    """Return everything suspicious about a data set, the most serious first."""
    return by_severity([*records.suspicions, *suspicions_of_effects(records.effects)])
