"""What makes two runs the same run."""

from sklearn.svm import SVC

from backstay._identity import describe
from backstay.feature_weighting import TTest


class _Private(TTest):
    """A class whose own name is private."""


def test_private_modules_are_left_out_of_descriptions():
    assert describe(SVC(), "svm")["class"] == "sklearn.svm.SVC"
    assert describe(_Private(), "m")["class"].endswith("._Private")
