"""How stable is the selector you already use? Here three of scikit-learn's.

Run it on resamples, keep what it selected, ask backstay. Nothing of backstay is in the selector.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from backstay.stability import (
    compare_stability,
    consensus,
    selection_frequency,
    stability_score,
)

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selectors = {
    "F test": SelectKBest(f_classif, k=8),
    "RFE": RFE(LogisticRegression(), n_features_to_select=8, step=4),
    "forest": SelectFromModel(
        RandomForestClassifier(20, random_state=0), threshold=-float("inf"), max_features=8
    ),
}
splits = list(StratifiedShuffleSplit(20, train_size=0.5, random_state=0).split(X, y))
# Swapping a feature for its twin is no instability: nPOGR counts similar features as matches.
# correlated_features(X) finds significant correlations; with 569 rows those are nearly all.
similar = (X.corr() > 0.9).to_numpy()

subsets = {}
print(f"{'8 of 30 features':18s}{'stability':>24s}{'twins counted':>24s}")
for name, selector in selectors.items():
    pipe = make_pipeline(StandardScaler(), selector)
    subsets[name] = [pipe.fit(X.iloc[r], y.iloc[r])[-1].get_support() for r, _ in splits]
    plain = stability_score(subsets[name])
    twins = stability_score(subsets[name], measure="npogr", similarity=similar)
    cells = [
        f"{s.value:.2f} [{s.confidence_interval[0]:.2f}, {s.confidence_interval[1]:.2f}]"
        for s in (plain, twins)
    ]
    print(f"{name:18s}{cells[0]:>24s}{cells[1]:>24s}")

result = compare_stability(subsets["F test"], subsets["RFE"], paired=True)
print(f"\nF test minus RFE: {result.difference:+.2f}, p = {result.p_value:.2g}")
kept = consensus(subsets["RFE"], threshold=0.85)
share = selection_frequency(subsets["RFE"])
print("RFE keeps in more than 85 % of the runs:")
for j in kept:
    print(f"  {share[j]:4.0%}  {X.columns[j]}")
