"""Sequential wrappers [Prat 2.1, 6, 7]: the estimator users see."""

import sys
import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.metrics import check_scoring
from sklearn.utils import get_tags

from backstay._scaling import Scaling, table_near_one
from backstay._validation import (
    Interval,
    StrOptions,
    as_numbers,
    check_is_fitted,
    check_outcome,
    encode_labels,
    fit_context,
    positive_int,
    validate_for_parts,
    validate_X_y,
)
from backstay.base import Fold, Indices
from backstay.wrappers._criteria import CRITERIA, Accumulated, Plain, make_criterion
from backstay.wrappers._evaluator import Evaluator, FastInducer, GeneralInducer
from backstay.wrappers._folds import draw_folds, fold_weights
from backstay.wrappers._inducers import check_n_neighbors, equivalent, inducer_outcomes
from backstay.wrappers._regression import PooledR2
from backstay.wrappers._search import TIE, Search, Visit, order_units, path_frame, scores_frame
from backstay.wrappers._units import columns_of, make_units


@dataclass(eq=False, repr=False)
class SequentialSelector(SelectorMixin, BaseEstimator):
    """Sequential search for the subset on which an inducer predicts best.

    J(S) is the cross-validated accuracy of the inducer on the subset S; all subsets share
    the folds. J(∅) is the rate of the majority class. For numbers, J(S) is R² of the test rows of
    all folds together, against the mean of the training rows, and J(∅) is 0. Candidates whose
    criterion values differ by less than 1e-10 tie, and ties go to the lowest column.

    Parameters
    ----------
    estimator : str or scikit-learn estimator, default="1nn"
        The inducer. ``"1nn"`` and ``"knn:K"``, for classes ``"lda"``, ``"svm_linear"`` and
        ``"svm_rbf"``, and for numbers ``"ridge"`` are evaluated incrementally; Notes say to what
        in scikit-learn they are equal. Any other classifier, regressor or pipeline is fitted from
        scratch on every subset, as it is.
    direction : {"forward", "backward"}, default="forward"
        SFG starts from nothing, SBG from all features.
    moves : "floating" or (int, int), default=(1, 0)
        A pair (plus, minus): a cycle makes `plus` moves ahead and `minus` back
        (plus-l-take-r); (1, 0) never goes back. "floating" goes back after every move
        ahead while that gives a better subset than the best known of its size (SFFS, SBFS).
    criterion : {"plain", "remainder", "accumulated"}, default="plain"
        Maximise J(S); or f = (J(S)·a − J(Y∖S)·b + 1)/2 with a, b the present
        subset's and remainder's J; or λ/2·(1 ± R) + (1−λ)·J(S), R being the
        relevance that all subsets evaluated so far give the feature. The latter two need a J
        from 0 to 1, so they do not take numbers unless `scoring` gives such a J.
    criterion_params : dict, default=None
        Parameters of the criterion. "remainder" has "weights", constants (a, b) from 0 to 1
        instead of the present J's: (1, 0) is the plain method, (0.5, 0.5) the mean of J(S)
        and 1 − J(Y∖S). "accumulated" has "accumulation", λ, by default 2/3 (0 is the plain
        method; (0, 1) lets it rise with the subsets seen), and "weight", how much an evaluated
        subset counts in R: None for 1, "size" for |S|/d, "score" for J(S).
    n_features_to_select : str, dict, int or float, default="best"
        When to end, and which subset to select:

        - "best": search to the end and select the best subset met, the smaller of two
          equal ones;
        - "until_no_gain": end when J no longer rises and select the subset before that;
        - {"min_score": J}: the smallest subset met whose J is at least this; if there is
          none, the best one, with a warning;
        - {"max_loss": share}: the smallest subset met whose J is at least 1 − share times
          J of all features;
        - a number: end at that size; with `feature_groups` it counts groups.
    feature_groups : list of lists, default=None
        Columns (numbers or names) that move together, as one-hot blocks do; the
        others move alone.
    fixed_features : list, default=None
        Columns that every subset holds.
    cv : int, splitter or iterable, default=None
        Folds; None is 5×2 stratified. For numbers, None and a number of folds sort the rows by y
        and deal them out. For classes, ".632" is the bootstrap: J is 0.632 of the mean score of
        rows left out of 20 draws, and 0.368 of that of the training rows themselves.
    scoring : str or callable, default=None
        Any scikit-learn scorer; None is accuracy, or R². Other scores are
        computed by scikit-learn, also for the built-in inducers, and averaged over the folds.
    scaling : {"minmax", "standard"} or None, default="minmax"
        Scaling of the built-in inducers, fitted on the training rows of each
        fold. Estimators of your own are used as they are.
    n_jobs : int, default=None
        Threads for the built-in inducers, joblib workers for others.
    random_state : int, RandomState instance or None, default=None
        Draws the folds when `cv` is None.
    verbose : int, default=0
        1 writes a line per step to stderr.

    Attributes
    ----------
    path_ : DataFrame
        One row per subset visited: ``move``, ``feature``, ``n_features``, ``score``
        (J), ``remainder_score`` (J of the remainder; nan unless the criterion
        uses it), ``criterion`` and ``subset``. The first row is the start.
    scores_ : DataFrame
        The same per candidate evaluated, with its ``step`` and whether it was ``accepted``.
    score_ : float
        J of the selected subset.
    ranking_ : ndarray of shape (n_features,)
        1 is best: the selected features in the order of the path, then the
        others. Features that the search did not reach are ordered by the latest
        evaluation of moving them.
    feature_importances_ : ndarray of shape (n_features,)
        (d + 1 − rank)/d.
    relevance_ : ndarray of shape (n_features,)
        R = L⁺ − L⁻; with ``criterion="accumulated"`` only.
    n_features_ : int
        Number of selected features.

    Notes
    -----
    Behind ``MinMaxScaler``, ``StandardScaler`` or nothing, ``"knn:K"`` is
    ``KNeighborsClassifier(K)`` (for numbers ``KNeighborsRegressor(K)``) with equal distances in the
    order of the training rows, ``"lda"`` is ``LinearDiscriminantAnalysis()``, ``"svm_linear"`` and
    ``"svm_rbf"`` are ``SVC(C=1, kernel=…, gamma="scale")``, and ``"ridge"`` is ``Ridge()``. k-NN
    and LDA predict exactly alike. The SVMs agree up to libsvm's tolerance of 1e-3 on decision
    values.

    Examples
    --------
    >>> from backstay.datasets import make_anti_corral
    >>> from backstay.wrappers import SequentialSelector
    >>> X, y, relevance = make_anti_corral(random_state=0)
    >>> selector = SequentialSelector(criterion="remainder", random_state=0).fit(X, y)
    >>> selector.get_support(indices=True)
    array([ 9, 10])
    """

    estimator: Any = "1nn"
    _: KW_ONLY
    direction: str = "forward"
    moves: str | tuple[int, int] = (1, 0)
    criterion: str = "plain"
    criterion_params: Mapping[str, Any] | None = None
    n_features_to_select: str | Mapping[str, float] | int | float = "best"
    feature_groups: Any = None
    fixed_features: Any = None
    cv: Any = None
    scoring: Any = None
    scaling: str | None = "minmax"
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "direction": [StrOptions({"forward", "backward"})],
        "moves": [StrOptions({"floating"}), tuple, list],
        "criterion": [StrOptions(set(CRITERIA))],
        "criterion_params": [None, Mapping],
        "n_features_to_select": [
            StrOptions({"best", "until_no_gain"}),
            Mapping,
            positive_int(),
            Interval(Real, 0, 1, closed="right"),
        ],
        "feature_groups": [None, "array-like"],
        "fixed_features": [None, "array-like"],
        "scaling": Scaling.OPTIONS,
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": [positive_int(minimum=0), "boolean"],
    }

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Search, on rows with class labels or numbers.

        `groups` of *rows* are for a `cv` that keeps them together. Frames reach an estimator of
        your own as frames.
        """
        estimator, moves = self.estimator, self._plus_minus()
        usable = all(hasattr(estimator, name) for name in ("fit", "predict"))
        if not isinstance(estimator, str) and not usable:
            raise ValueError(
                f"estimator={estimator!r} must be the name of a built-in inducer or a "
                "scikit-learn classifier or regressor with fit and predict."
            )
        X, y = self._validate_input(X, y)
        numbers = check_outcome(self, y) == "numbers"
        codes: Any
        if numbers:
            codes = y = as_numbers(self, y)
            self.__dict__.pop("classes_", None)  # of an earlier fit
        else:
            self.classes_, codes = encode_labels(self, y)
        names = getattr(self, "feature_names_in_", None)
        units, fixed = make_units(
            self.feature_groups, self.fixed_features, self.n_features_in_, names
        )
        sizes = np.array([len(columns) for columns in units])
        criterion = self._criterion(sizes)
        n_units = self._n_units(len(units), int(fixed.sum()))
        forward = self.direction == "forward"
        folds = draw_folds(self.cv, self.random_state, y, groups, numbers)
        if isinstance(self.estimator, str):
            check_n_neighbors(self.estimator, folds)
        # J(∅) is the accuracy of predicting the most frequent class, or R² of predicting the mean.
        rate = 0.0 if numbers else float(np.bincount(codes).max() / len(codes))
        plain = self.scoring is None or (self.scoring == "accuracy" and not numbers)
        empty = rate if plain else None
        inducer = self._inducer(X, y, codes, folds)
        search = Search(
            evaluate=Evaluator(inducer, units, empty, fold_weights(self.cv)),
            criterion=criterion,
            sizes=sizes,
            fixed=fixed,
            forward=forward,
            target=n_units or (len(units) if forward else max(1, int(fixed.sum()))),
            report=partial(self._report, units) if self.verbose else None,
        )
        settled = search.run(moves, only_gains=self.n_features_to_select == "until_no_gain")
        self._conclude(search, units, self._selected_units(search, settled, n_units))
        if isinstance(criterion, Accumulated):
            self.relevance_ = np.empty(self.n_features_in_)
            for columns, relevance in zip(units, criterion.relevance, strict=True):
                self.relevance_[columns] = relevance
        return self

    def _validate_input(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        if isinstance(self.estimator, str):
            return validate_X_y(self, X, y)
        X, y = validate_for_parts(self, X, y, accept_sparse=("csr", "csc"))
        # scikit-learn's estimators do not look after extreme units themselves.
        return table_near_one(X), y

    def _plus_minus(self) -> tuple[int, int] | None:
        """Return how many moves a cycle makes ahead and back; None for a floating search."""
        if isinstance(self.moves, str):
            return None
        pair = tuple(self.moves)
        whole = all(isinstance(n, Integral) and not isinstance(n, bool) for n in pair)
        if len(pair) != 2 or not whole or not 0 <= pair[1] < pair[0]:
            raise ValueError(
                f"moves={self.moves!r} must be 'floating' or two whole numbers (plus, minus) with "
                "0 <= minus < plus; otherwise the search would never end."
            )
        return int(pair[0]), int(pair[1])

    def _n_units(self, n_units: int, n_fixed: int) -> int | None:
        """Return at how many units to end, None unless that was asked for; refuse other rules."""
        requested: Any = self.n_features_to_select
        if isinstance(requested, str):
            return None
        if isinstance(requested, Mapping):
            known = len(requested) == 1 and set(requested) <= {"min_score", "max_loss"}
            numbers = all(isinstance(value, Real) for value in requested.values())
            if not known or not numbers or not 0 <= requested.get("max_loss", 0.0) <= 1:
                raise ValueError(
                    f"n_features_to_select={requested!r} must be {{'min_score': J}}, or "
                    "{'max_loss': share} with a share from 0 to 1."
                )
            return None
        least = max(1, n_fixed)
        if isinstance(requested, Integral):
            count = int(requested)
        else:
            count = max(least, int(float(requested) * n_units))
        if not least <= count <= n_units:
            what = "features" if self.feature_groups is None else "groups of features"
            raise ValueError(
                f"n_features_to_select={requested!r} must lie between {least} and the number of "
                f"{what}, {n_units}."
            )
        return count

    def _criterion(self, sizes: Indices) -> Plain:
        """Return what the search maximises, for units of these sizes."""
        return make_criterion(self.criterion, sizes, self.criterion_params)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Kinds of outcome that the inducer takes; R² may lie outside of what a criterion needs."""
        kinds = inducer_outcomes(self.estimator)
        rates = self.scoring is None and CRITERIA[self.criterion].needs_rates
        return tuple(kind for kind in kinds if kind != "numbers" or not rates)

    def _inducer(
        self, X: Any, y: NDArray[Any], codes: Any, folds: list[Fold]
    ) -> FastInducer | GeneralInducer:
        """Return what scores subsets on the folds."""
        numbers = codes.dtype.kind == "f"
        own: Any = PooledR2.of(y, folds) if numbers else "accuracy"
        estimator, scoring = self.estimator, own if self.scoring is None else self.scoring
        if isinstance(estimator, str):
            if scoring is own or scoring == "accuracy":
                total = own.total if numbers else None
                return FastInducer(estimator, X, codes, folds, self.scaling, self.n_jobs, total)
            estimator = equivalent(estimator, self.scaling, numbers)
        scorer = own if numbers and scoring is own else check_scoring(estimator, scoring=scoring)
        names = getattr(self, "feature_names_in_", None)
        return GeneralInducer(estimator, X, y, folds, scorer, self.n_jobs, names)

    def _report(self, units: list[Indices], visit: Visit, step: int) -> None:
        what = "start"
        if visit.unit >= 0:
            what = f"{'+' if visit.adding else '-'} {self._label(units[visit.unit])}"
        size = len(columns_of(units, visit.members))
        sys.stderr.write(
            f"[SequentialSelector] step {step}: {what}, {size} of {self.n_features_in_} features, "
            f"J={visit.score:.4f}\n"
        )
        sys.stderr.flush()

    def _selected_units(
        self, search: Search, settled: NDArray[np.bool_] | None, n_units: int | None
    ) -> NDArray[np.bool_]:
        if settled is not None:
            if settled.any():
                return settled
            warnings.warn(
                "n_features_to_select='until_no_gain': no single feature predicts better than the "
                f"{'majority class' if hasattr(self, 'classes_') else 'mean'}; the best one is "
                "kept. 'best' searches on.",
                UserWarning,
                stacklevel=4,
            )
        sizes, rule = search.sizes, self.n_features_to_select
        met = [v for v in search.visits if v.members.any() and n_units in (None, v.members.sum())]
        if isinstance(rule, Mapping):  # [Prat def. 2.4], second premise
            whole = next(v.score for v in met if v.members.all())
            least = rule["min_score"] if "min_score" in rule else (1 - rule["max_loss"]) * whole
            good = [v for v in met if v.score >= least - TIE]
            if good:
                return min(good, key=lambda v: (int(v.members @ sizes), -v.score)).members
            warnings.warn(
                f"n_features_to_select={rule!r}: no subset met has such a high J; the best one is "
                "kept.",
                UserWarning,
                stacklevel=4,
            )
        top = max(v.score for v in met)
        best = [v.members for v in met if v.score >= top - TIE]
        return min(best, key=lambda members: members @ sizes)

    def _label(self, columns: Indices) -> Any:
        """Name or number of a feature; a tuple of them for a group."""
        names = getattr(self, "feature_names_in_", None)
        labels = tuple(columns.tolist() if names is None else names[columns].tolist())
        return labels[0] if len(labels) == 1 else labels

    def _conclude(self, search: Search, units: list[Indices], selected: NDArray[np.bool_]) -> None:
        """Turn the search into attributes."""
        d = self.n_features_in_
        order = np.concatenate([units[u] for u in order_units(search, selected)])
        self.ranking_ = np.empty(d, dtype=np.intp)
        self.ranking_[order] = np.arange(1, d + 1)
        self.feature_importances_ = (d + 1 - self.ranking_) / d
        self.n_features_ = int(search.sizes[selected].sum())
        labels = [self._label(columns) for columns in units]
        self.path_ = path_frame(search, units, labels, getattr(self, "feature_names_in_", None))
        self.scores_ = scores_frame(search, labels)
        self.score_ = next(v.score for v in search.visits if np.array_equal(v.members, selected))

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.ranking_ <= self.n_features_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if not isinstance(self.estimator, str):
            inner = get_tags(self.estimator).input_tags
            tags.input_tags.sparse = inner.sparse
            tags.input_tags.allow_nan = inner.allow_nan
        return tags
