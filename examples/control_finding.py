"""Is it the weighting, or what its scale does to the machine?

Margin weights as published sum to 1, so every row's cost in the SVM falls from C to about C/n.
This ranks the Han–Yu data by SVM-RFE with and without weights, on training sets drawn afresh,
and adds the two comparisons that tell the causes apart: equal weights of the same sum, and the
same margin weights at mean 1.

Usage: python control_finding.py [number of training sets, 20 if not given]
"""

import sys

from sklearn.base import clone
from sklearn.svm import SVC

from backstay import SVMRFE, InstanceWeighted, MarginWeighting, UniformWeighting
from backstay.datasets import make_han_yu
from backstay.stability import compare_stability, stability_score

n_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 20
n_rows, n_features, n_relevant = 100, 1000, 50
ranker = SVMRFE(n_features_to_select=n_relevant, tol=1e-3)  # libsvm's default, as published
methods = {
    "SVM-RFE": ranker,
    "margin weights, sum 1": InstanceWeighted(ranker, MarginWeighting(scale="sum")),
    "equal weights, sum 1": InstanceWeighted(ranker, UniformWeighting(scale="sum")),
    "margin weights, mean 1": InstanceWeighted(ranker, MarginWeighting(scale="mean")),
    f"SVM-RFE with C = 1/{n_rows}": clone(ranker).set_params(C=1 / n_rows),
}

X_test, y_test, _ = make_han_yu(2000, random_state=n_sets)
print(f"{n_sets} training sets of {n_rows} rows, {n_features} features, {n_relevant} relevant;")
print(f"each method keeps {n_relevant}. Stability is Kuncheva's index with a 95 % interval.\n")
print(f"{'method':26s}{'stability':>26s}{'relevant kept':>16s}{'accuracy':>10s}")

subsets = {}
for name, method in methods.items():
    subsets[name], hits, right = [], 0, 0.0
    for seed in range(n_sets):
        X, y, relevance = make_han_yu(n_rows, random_state=seed)
        kept = method.fit(X, y).get_support(indices=True)
        subsets[name].append(kept)
        hits += (relevance[kept] > 0).sum()
        right += SVC(kernel="linear").fit(X[:, kept], y).score(X_test[:, kept], y_test)
    score = stability_score(subsets[name], n_features, measure="kuncheva")
    low, high = score.confidence_interval
    print(
        f"{name:26s}{score.value:>10.3f} [{low:.3f}, {high:.3f}]"
        f"{hits / n_sets:>12.1f} of {n_relevant}{right / n_sets:>9.3f}"
    )

print("\nDifference in stability, paired by training set:")
for less, more in [
    ("SVM-RFE", "margin weights, sum 1"),
    ("equal weights, sum 1", "margin weights, sum 1"),
]:
    found = compare_stability(
        subsets[more], subsets[less], n_features, measure="kuncheva", paired=True
    )
    low, high = found.confidence_interval
    print(f"  {more} minus {less}: {found.difference:+.3f} [{low:+.3f}, {high:+.3f}]")

pairs = zip(subsets["SVM-RFE"], subsets["margin weights, mean 1"], strict=True)
same = sum(set(plain) == set(weighted) for plain, weighted in pairs)
print(f"\nAt mean 1, margin weights select what no weights select on {same} of {n_sets} sets.")
