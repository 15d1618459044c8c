"""How redundant, and how important, each of a set of discrete features is [Prat 4].

Both are properties of a joint distribution of features and class. From rows,
its probabilities are the rows' frequencies: with so many features that nearly
every row is different, every feature looks redundant, whatever it holds.
"""

from backstay.redundancy._importance import feature_importance_bayes
from backstay.redundancy._level import redundancy_level

__all__ = ["feature_importance_bayes", "redundancy_level"]
