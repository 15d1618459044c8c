"""scikit-learn's contract for the ensembles."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from backstay import ReliefF
from backstay.ensemble import BaggedRanker, RepeatedSelector, StabilitySelection

ESTIMATORS = [
    BaggedRanker(ReliefF(), 4, random_state=0),
    BaggedRanker(LogisticRegression(), 4, resample="subsample", aggregate="rra", random_state=0),
    StabilitySelection(ReliefF(), n_resamples=3, random_state=0),
    RepeatedSelector(ReliefF(), 4, random_state=0),
    RepeatedSelector(LogisticRegression(), 4, keep="grow", random_state=0),
]

DRAWS = (
    "rows are drawn before they are weighted: with repeated rows in place of weights the "
    "resamples are others"
)


def expected_failed_checks(estimator):
    if isinstance(estimator, RepeatedSelector) and estimator.keep == "grow":
        return {}  # on the checks' data, growing stops at the same features
    return {
        "check_sample_weight_equivalence_on_dense_data": DRAWS,
        "check_sample_weight_equivalence_on_sparse_data": DRAWS,
    }


@pytest.mark.filterwarnings(
    # The checks draw tiny data: lonely classes are said, rightly, and nothing may be stable.
    "ignore:class .* has a single member:UserWarning",
    "ignore:No features were selected:UserWarning",
)
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failed_checks)
def test_scikit_learn(estimator, check):
    check(estimator)
