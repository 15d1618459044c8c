"""Rank features on the Han–Yu data, where the truth is known, and see what was found.

100 rows, 1000 features in correlated blocks of ten; the first 50 features are relevant.
"""

from backstay import InstanceWeighted, MarginWeighting, ReliefF, Simba, UniformWeighting
from backstay.datasets import make_han_yu

X, y, relevance = make_han_yu(n_samples=100, random_state=0)
relevant = relevance > 0
print(f"Han–Yu data: {X.shape[0]} rows, {X.shape[1]} features, {relevant.sum()} of them relevant\n")

weights = MarginWeighting().fit_weight(X, y)
print(f"margin weights (mean 1) lie between {weights.min():.2f} and {weights.max():.2f}:")
print("so near uniform that a method must be compared with its uniform control\n")

methods = {
    "ReliefF": ReliefF(n_features_to_select=50),
    "margin-weighted ReliefF": InstanceWeighted(
        ReliefF(n_features_to_select=50), MarginWeighting()
    ),
    "its uniform control": InstanceWeighted(ReliefF(n_features_to_select=50), UniformWeighting()),
    "Simba": Simba(n_features_to_select=50, random_state=0),
}
print(f"{'method':26s}{'relevant among its 50':>22s}   ten best features (* relevant)")
for name, method in methods.items():
    method.fit(X, y)
    found = relevant[method.get_support()].sum()
    best = method.ranking_.argsort()[:10]
    listed = " ".join(f"{j}{'*' if relevant[j] else ''}" for j in best)
    print(f"{name:26s}{found:>22d}   {listed}")
