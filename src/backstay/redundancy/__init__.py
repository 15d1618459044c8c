"""How redundant, important and relevant each of a set of discrete features is [Prat 2.1, 4].

All are properties of a joint distribution of features and class. From rows,
its probabilities are the rows' frequencies: with so many features that nearly
every row is different, every feature looks redundant, whatever it holds.
"""

from backstay.redundancy._importance import feature_importance_bayes
from backstay.redundancy._level import redundancy_level
from backstay.redundancy._relevance import feature_relevance

__all__ = ["feature_importance_bayes", "feature_relevance", "redundancy_level"]
