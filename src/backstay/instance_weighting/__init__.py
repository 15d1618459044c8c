"""Instance weighting: from rows and labels to one weight ω per row."""

from backstay.instance_weighting._joint import JointWeighting
from backstay.instance_weighting._logistic import LogisticWeighting
from backstay.instance_weighting._margin import MarginWeighting
from backstay.instance_weighting._uniform import UniformWeighting

__all__ = ["JointWeighting", "LogisticWeighting", "MarginWeighting", "UniformWeighting"]
