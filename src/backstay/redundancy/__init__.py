"""Features that say the same: modules of correlated features, and exact redundancy.

Correlated features form modules (`correlation_modules`), which `ModuleRanker` ranks. How redundant,
important and relevant each of a few discrete features is [Prat 2.1, 4] follows from the joint
distribution of features and class, that is, from the frequencies of the rows.
"""

from backstay.redundancy._importance import feature_importance_bayes
from backstay.redundancy._level import redundancy_level
from backstay.redundancy._module_ranker import ModuleRanker
from backstay.redundancy._modules import correlation_modules
from backstay.redundancy._relevance import feature_relevance, subset_relevance

__all__ = [
    "ModuleRanker",
    "correlation_modules",
    "feature_importance_bayes",
    "feature_relevance",
    "redundancy_level",
    "subset_relevance",
]
