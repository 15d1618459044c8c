"""The samples on the signature, and which of its features say the same.

A report is written without the data. So a study keeps, beside what it found, the values of the
features that may be in a signature, where samples are few enough to be shown one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from backstay._columns import STRONG
from backstay.results._choice import method_and_size
from backstay.results._parts import Parts, Rows, size_within
from backstay.results._records import LARGEST_SIZE, Records
from backstay.results._table import Table


class SignatureValueAnswers(Parts):
    """Samples and features of a signature."""

    def signature_values(self, method: str | None = None, size: int | None = None) -> Table:
        """Values of the signature: a row per feature and sample, of mean 0 and deviation 1.

        Empty where they were not kept: with more than 200 samples, for sizes above 100, and
        before the study has finished.

        Parameters
        ----------
        method : str, default=None
            Name of a method. None takes method and size from :meth:`choice`.
        size : int, default=None
            Number of features selected in each run.
        """
        return self._table(
            "values of the signature",
            "mean 0, standard deviation 1 over all rows",
            lambda part: _value_rows(part, *_signature(part, method, size)),
            "feature name row sample class value",
        )

    def keeps_values(self, method: str | None = None, size: int | None = None) -> bool:
        """Return whether the values of a signature were kept, for one data set.

        Parameters
        ----------
        method, size
            As in :meth:`signature_values`.
        """
        part = self._one()
        return kept_values(part, *_signature(part, method, size)) is not None

    def sample_map(self, method: str | None = None, size: int | None = None) -> Table:
        """First two principal components of the samples on the signature.

        The rows chose the features, so classes that lie apart here prove nothing about new
        samples. ``share_first`` and ``share_second`` are the shares of the variance.

        Parameters
        ----------
        method, size
            As in :meth:`signature_values`, whose values are used, gaps as 0.
        """
        return self._table(
            "map of the samples",
            "principal components of the signature",
            lambda part: _map_rows(part, *_signature(part, method, size)),
            "row name class first second share_first share_second",
        )

    def signature_groups(self, method: str | None = None, size: int | None = None) -> Table:
        """Correlation groups inside the signature: |r| ≥ 0.7, over all rows, links a feature.

        Groups are numbered by their best feature, which is named in ``group_name``; ``closest``
        is the feature of the group most correlated with it. Empty where correlations were not
        kept: for sizes above 100, and before the study has finished.

        Parameters
        ----------
        method, size
            As in :meth:`signature_values`.
        """
        return self._table(
            "groups of the signature",
            f"|r| ≥ {STRONG:g}, all rows",
            lambda part: _group_rows(part, *_signature(part, method, size)),
            "feature name group group_name closest correlation",
        )


def _signature(records: Records, method: str | None, size: int | None) -> tuple[str, int]:
    method, size = method_and_size(records, method, size)
    return records.check_method(method), size_within(records, size)


def kept_values(
    records: Records, method: str, size: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]] | None:
    """Return the features of a signature and their values by sample; None if not all are kept."""
    kept = records.candidates
    if kept is None or kept.values is None:
        return None
    members = records.members(method, size)
    place = {int(feature): i for i, feature in enumerate(kept.features)}
    members = np.array([j for j in members if int(j) in place], dtype=np.intp)
    if size > LARGEST_SIZE or not len(members):
        return None
    return members, kept.values[[place[int(j)] for j in members]]


def _value_rows(records: Records, method: str, size: int) -> Rows:
    found = kept_values(records, method, size)
    if found is None:
        return []
    members, values = found
    names = [records.feature_name(int(j)) for j in members]
    samples = [records.sample_name(i) for i in range(records.n_samples)]
    labels, column = records.target.row_labels(), records.target.row_column
    return [
        {"feature": int(j), "name": names[a], "row": i, "sample": samples[i],
         column: labels[i], "value": float(values[a, i])}
        for a, j in enumerate(members)
        for i in range(records.n_samples)
    ]  # fmt: skip


def _map_rows(records: Records, method: str, size: int) -> Rows:
    found = kept_values(records, method, size)
    if found is None:
        return []
    values, labels = np.nan_to_num(found[1]).T, records.target.row_labels()
    values = values - values.mean(axis=0)
    left, length, right = np.linalg.svd(values, full_matrices=False)
    places, shares = np.zeros((len(values), 2)), np.zeros(2)
    total = float((length**2).sum())
    for k in range(min(2, len(length))):
        # The sign of a component is free: its largest loading is made positive.
        sign = 1.0 if right[k][np.argmax(np.abs(right[k]))] >= 0 else -1.0
        places[:, k] = sign * left[:, k] * length[k]
        shares[k] = length[k] ** 2 / total if total > 0 else np.nan
    return [
        {
            "row": i,
            "name": records.sample_name(i),
            records.target.row_column: labels[i],
            "first": float(places[i, 0]),
            "second": float(places[i, 1]),
            "share_first": float(shares[0]),
            "share_second": float(shares[1]),
        }
        for i in range(records.n_samples)
    ]


def _group_rows(records: Records, method: str, size: int) -> Rows:
    kept = records.candidates
    members = records.members(method, size)
    if kept is None or size > LARGEST_SIZE or not len(members):
        return []
    place = {int(j): i for i, j in enumerate(members)}
    r = np.zeros((len(members), len(members)))
    for a, b, value in zip(*kept.pairs, kept.correlations, strict=True):
        if int(a) in place and int(b) in place:
            i, j = place[int(a)], place[int(b)]
            r[i, j] = r[j, i] = value
    _, labels = connected_components(np.abs(r) >= STRONG, directed=False)
    names = [records.feature_name(int(j)) for j in members]
    first = {label: int(np.argmax(labels == label)) for label in labels}
    number = {label: k + 1 for k, label in enumerate(dict.fromkeys(labels.tolist()))}
    rows: Rows = []
    for i, j in enumerate(members):
        closest = int(np.argmax(np.abs(r[i])))
        linked = bool(r[i, closest])
        rows.append(
            {
                "feature": int(j),
                "name": names[i],
                "group": number[int(labels[i])],
                "group_name": names[first[labels[i]]],
                "closest": names[closest] if linked else None,
                "correlation": float(r[i, closest]) if linked else np.nan,
            }
        )
    return rows
