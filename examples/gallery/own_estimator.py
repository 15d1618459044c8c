"""Your own method in a study.

You have an idea how to rank features. Is it more stable than a t test? Is it as accurate? Put it
into a study beside the others. The study gives all of them the same splits.

The data are real: 178 wines of three growers, with 13 measurements each. They come with
scikit-learn.
"""

# %%
# A ranker has one job: one number per feature, larger is better. Write that, and the rest is
# inherited: checks, names of columns, pipelines. Any estimator of scikit-learn that has
# coefficients or importances can take part as it is.
import numpy as np
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from backstay import FeatureRanker, FStatistic, Study
from backstay.study import Subsampling


class MedianGap(FeatureRanker):
    """The largest gap between the medians of two classes, in units of the whole spread."""

    def _score(self, X, y, sample_weight):
        medians = np.array([np.median(X[y == k], axis=0) for k in np.unique(y)])
        return np.ptp(medians, axis=0) / X.std(axis=0)


# %%
# Three methods, twenty splits, lists of 3 and 6 features. One model tests what the lists are
# worth, on rows that nobody has seen.
X, y = load_wine(return_X_y=True, as_frame=True)
study = Study(
    methods={
        "median gap": MedianGap(),
        "F": FStatistic(),
        "logistic": LogisticRegression(max_iter=2000),
    },
    resampling=Subsampling(20),
    sizes=[3, 6],
    models={"svm": make_pipeline(StandardScaler(), SVC(kernel="linear"))},
    preprocess=StandardScaler(),
    random_state=0,
    verbose=0,
)
results = study.run(X, y, dataset="wine")
print(results.compare("median gap", "F", size=6))
print(results.recommend())
results.report("wine.html")

# %%
# `compare` gives the difference in score and in stability, each with its interval. If an interval
# includes 0, these data do not tell the two apart.
#
# ![Stability of the three methods by number of features](own_estimator.png)
#
# To add a parameter of your own, see [Your own ranker](../rankers.md#your-own).
