"""What one takes home: a frozen signature, applied to other rows and tested on them.

`freeze` makes a `Signature` from the results of a study. It predicts, says what it needs of a
table, and is validated on a cohort that had no part in making it, without being refitted.
"""

from backstay.signature._cohort import Cohort, StandIn
from backstay.signature._document import SignatureError
from backstay.signature._freeze import freeze
from backstay.signature._schema import schema
from backstay.signature._shift import FeatureShift, feature_shifts
from backstay.signature._signature import Signature
from backstay.signature._validate import prediction_columns, score_difference
from backstay.signature._validation import (
    Calibration,
    Caution,
    Recall,
    ScoreComparison,
    Validation,
)

__all__ = [
    "Calibration",
    "Caution",
    "Cohort",
    "FeatureShift",
    "Recall",
    "ScoreComparison",
    "Signature",
    "SignatureError",
    "StandIn",
    "Validation",
    "feature_shifts",
    "freeze",
    "prediction_columns",
    "schema",
    "score_difference",
]
