"""A frozen signature: a model on a few features that can be taken elsewhere."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if

from backstay._design import encoded
from backstay._files import write_whole
from backstay._notebook import as_html
from backstay.signature._cohort import Cohort, cohort_of
from backstay.signature._document import SignatureError, check_document, parse_document, schema
from backstay.signature._expected import like_training
from backstay.signature._model import Model
from backstay.signature._models import frozen_model
from backstay.signature._shift import FeatureShift, feature_shifts
from backstay.signature._steps import apply_steps
from backstay.signature._validation import MARGIN, Validation
from backstay.targets import INTERVAL_LEVEL, Metric, Target, find_metric, from_store

Array = NDArray[np.float64]
# A larger file is no signature.
MOST_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Predicted:
    """What a signature says of rows, with probabilities and intervals where it has them."""

    outputs: Array  # as tasks of a study store them: first what is predicted, then scores
    chances: Array | None
    interval: Array | None = None  # its ends: row × 2

    def outputs_for(self, metric: Metric) -> Array | None:
        """Return what a metric is computed from; None where it needs missing probabilities."""
        if metric.needs != "probabilities":
            return self.outputs
        if self.chances is None:
            return None
        return np.hstack([self.outputs[:, :1], self.chances[:, 1 - self.outputs.shape[1] :]])

    def score(self, metric: Metric, target: Target) -> float:
        """Return a metric of the predictions; nan where it needs missing probabilities."""
        outputs = self.outputs_for(metric)
        return float("nan") if outputs is None else float(metric.score(target, outputs))

    def frame(self, target: Target, index: Any = None) -> pd.DataFrame:
        """Return what was predicted, scores, probabilities and intervals, row by row."""
        columns = target.prediction_columns(self.outputs[:, 1:], self.chances, self.interval)
        return pd.DataFrame({"predicted": target.said(self.outputs[:, 0]), **columns}, index)


class Signature(BaseEstimator):
    """A model on a few features, frozen: to be applied elsewhere, never refitted.

    :func:`freeze` makes one from a study, :meth:`load` reads one from a file. It is a fitted
    scikit-learn model, a classifier or a regressor as the outcome is; ``fit`` does nothing, and a
    clone is the signature itself.

    Tables are read by the names of their columns, in any order and among any others. An array
    without names must hold exactly the signature's features, in the order of `feature_names_in_`.
    What predicts takes X and options as :meth:`read` does, or what it returned.

    Parameters
    ----------
    document : dict
        What the file holds; see the published schema. It is checked.
    trusted : sequence of str
        Types that a model in the format of skops may load. Other signatures load none.

    Attributes
    ----------
    classes_ : ndarray
        Class labels; absent where numbers are predicted.
    feature_names_in_ : ndarray of str
        Names of the features.
    n_features_in_ : int
        Their number.

    Examples
    --------
    >>> from backstay import Study, TTest
    >>> from backstay.datasets import make_han_yu
    >>> from backstay.study import Subsampling
    >>> X, y, _ = make_han_yu(60, n_features=60, n_relevant=20, random_state=0)
    >>> study = Study({"t": TTest()}, Subsampling(10), sizes=[5], random_state=0)
    >>> signature = study.run(X, y).freeze(X, y, ("t", 5, "svm"))
    >>> signature
    Signature(5 features, classes 0 and 1, t with svm)
    >>> signature.feature_names_in_.tolist()
    ['x12', 'x15', 'x16', 'x17', 'x18']
    >>> X_new, y_new, _ = make_han_yu(60, n_features=60, n_relevant=20, random_state=1)
    >>> names = [f"x{j}" for j in range(60)]
    >>> signature.predict(X_new[:8], feature_names=names)
    array([1, 0, 0, 1, 0, 0, 0, 1])
    """

    def __init__(self, document: Mapping[str, Any], trusted: Sequence[str] = ()) -> None:
        self.document = document
        self.trusted = trusted

    @cached_property
    def _model(self) -> Model:
        """The model, made when first used; a document is checked once."""
        check_document(self.document)
        return frozen_model(self.document["model"], self.target, self.trusted)

    @cached_property
    def target(self) -> Target:
        """The kind of outcome that is predicted; it holds no rows."""
        return from_store(self.document["target"], {})

    def __getstate__(self) -> dict[str, Any]:
        return {"document": self.document, "trusted": self.trusted}  # not what is made of them

    def __sklearn_clone__(self) -> Self:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        names = [str(label) for label in self.target.names]
        n, choice = self.n_features_in_, self.document["choice"]
        said = f" {', '.join(names[:-1])} and {names[-1]}" if names else ""
        return (
            f"Signature({n} feature{'s' if n > 1 else ''}, {self.target.kind}{said}, "
            f"{choice['method']} with {choice['model']})"
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = self.target.estimator_type
        if tags.estimator_type == "classifier":
            tags.classifier_tags = ClassifierTags()
        elif tags.estimator_type == "regressor":
            tags.regressor_tags = RegressorTags()
        return tags

    def _repr_html_(self) -> str:
        training, expected = self.document["training"], self.document["expected"][0]
        shown = pd.DataFrame(self.document["features"])[["name", "mean", "sd"]]
        return as_html(
            f"{self!r}, trained on {training['n_samples']} rows of {training['dataset']}. Expected "
            f"{expected['metric']}: {expected['value']:.3f}. Its features, and their mean and "
            "standard deviation in the training rows:",
            shown,
        )

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        """Show that and not scikit-learn's box, which notebooks would take first."""
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, trusted: Sequence[str] = ()) -> Self:
        """Read a signature from a file, which may come from anyone.

        Parameters
        ----------
        path : path
            Of the file.
        trusted : sequence of str
            Types that a model in the format of skops may load; the error of an attempt
            without them lists them. Other files hold no code.

        Raises
        ------
        SignatureError
            If the file is not a signature, was changed, or would load types that are not trusted.
        """
        if not Path(path).is_file():
            what = "a folder" if Path(path).is_dir() else "no regular file"
            Path(path).stat()  # says if it is not there
            raise SignatureError(f"{path} is {what}; name the file of a signature.")
        if Path(path).stat().st_size > MOST_BYTES:
            raise SignatureError(f"{path} has more than {MOST_BYTES >> 20} MB; it is no signature.")
        try:
            loaded = cls(parse_document(Path(path).read_bytes()), trusted)
            # A file may be changed and its checksum with it: a few rows tell whether it predicts.
            rows = like_training(loaded, 10)[1]
            loaded._predicted(loaded._entered(rows, {})).frame(loaded.target)
        except SignatureError as error:
            raise SignatureError(f"{path} cannot be used: {error}") from error
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise SignatureError(
                f"{path} cannot be used: its parts do not fit together ({error})."
            ) from error
        return loaded

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the signature to a JSON file; an existing one is replaced."""
        text = json.dumps(self.document, indent=1, allow_nan=False, ensure_ascii=False)
        model = self.document["model"]
        private = "rows" in model or model["kind"] == "skops"  # which may hold rows
        return write_whole(path, text + "\n", private=private)

    @staticmethod
    def schema() -> dict[str, Any]:
        """Return the published JSON schema of the file."""
        return schema()

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels; absent where numbers are predicted."""
        if not self._classifies:
            raise AttributeError(f"a signature of {self.target.kind} is no classifier.")
        return self.target.said(np.arange(len(self.target.names)))

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the features, in the order of arrays without names."""
        return np.array([f["name"] for f in self.document["features"]], dtype=object)

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        return len(self.document["features"])

    @property
    def _classifies(self) -> bool:
        return self.target.estimator_type == "classifier"

    @property
    def _has_survival(self) -> bool:
        return hasattr(self._model, "survival")

    @property
    def has_probabilities(self) -> bool:
        """Whether there are probabilities, the model's own or calibrated ones."""
        calibrated = self.document["calibration"] is not None and not self.has_intervals
        return calibrated or self._model.probabilities is not None

    @property
    def has_intervals(self) -> bool:
        """Whether a prediction comes with an interval: numbers do, if enough rows were tested."""
        calibration = self.document["calibration"]
        return calibration is not None and calibration["kind"] == "conformal"

    @property
    def intervals_said(self) -> str:
        """What the prediction intervals hold, in words; empty if there are none."""
        if not self.has_intervals:
            return ""
        share, n = f"{100 * INTERVAL_LEVEL:.0f} %", self.document["calibration"]["n"]
        return (
            f"{share} intervals come from the errors of {n} rows or groups that the study tested. "
            f"Of new rows from the same population about {share} lie inside on average, fewer of "
            "those that are hard to predict. The study trained on parts of the rows, so intervals "
            "are rather too wide."
        )

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Do nothing: a signature is frozen."""
        return self

    def read(
        self,
        X: Any,
        *,
        feature_names: Sequence[str] | None = None,
        allow_missing: bool = False,
        rescale: str = "none",
        covariates: Any = None,
    ) -> Cohort:
        """Return the signature's features from a table, and what was done to get them.

        Parameters
        ----------
        X : frame, array or sparse matrix
            Rows of a table that holds the features.
        feature_names : sequence of str, optional
            Names of the columns of an array.
        allow_missing : bool, default=False
            Whether a feature that is not in the table is computed from the strongest correlated
            one that is, as recorded when the signature was frozen, or else set to the mean of
            the training rows. Otherwise it is an error.
        rescale : {"none", "zscore"}, default="none"
            Whether every feature is moved to the mean and standard deviation of the training
            rows. That assumes classes in the same proportions, or numbers alike.
        covariates : DataFrame, optional
            What a signature with covariates was adjusted for; None takes these columns of X.
        """
        cohort = cohort_of(self.document, X, feature_names, allow_missing, rescale)
        if (levels := self.document.get("covariates")) is None:
            return cohort
        given = covariates if covariates is not None else X if hasattr(X, "columns") else {}
        return replace(cohort, Z=encoded(levels, given))

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def _entered(self, X: Any, options: Mapping[str, Any]) -> Array:
        """Return the features as the model sees them, after preprocessing."""
        cohort = X if isinstance(X, Cohort) else self.read(X, **options)
        return apply_steps(self.document["steps"], cohort.values, cohort.Z)

    @available_if(attrgetter("_classifies"))
    def decision_function(self, X: Any, **options: Any) -> Array:
        """Return how much rows lean to the second of two classes, or to each; of classes only."""
        scores = self._scores(self._entered(X, options))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any, **options: Any) -> NDArray[Any]:
        """Return the class of every row, its number, or its risk of an event."""
        return self.target.said(self._outputs(self._entered(X, options))[:, 0])

    def score(self, X: Any, y: ArrayLike, **options: Any) -> float:
        """Return the accuracy of classes or the R² of numbers, as scikit-learn's models do.

        That R² is against the mean of `y`; those of :meth:`validate` come with what they mean. Of
        times until an event it is Uno's C.
        """
        if self.target.estimator_type is None:
            target, metric = self.target.of_cohort(y, {}), self.target.default_metric({})
            return self.predicted(X, **options).score(find_metric(metric), target)
        score = accuracy_score if self._classifies else r2_score
        return float(score(y, self.predict(X, **options)))

    @available_if(attrgetter("has_intervals"))
    def predict_interval(self, X: Any, level: float = INTERVAL_LEVEL, **options: Any) -> Array:
        """Return the low and the high end of a prediction interval of every row.

        It reaches as far from the prediction as errors of rows did when the study tested them
        (conformal prediction). `intervals_said` says what follows for new rows from the same
        population. In another one nothing is promised; :meth:`validate` counts the rows inside.

        Parameters
        ----------
        X, **options
            As in :meth:`read`.
        level : {0.5, 0.8, 0.9, 0.95, 0.99}, default=0.9
            Share of rows inside. Few tested rows allow no high levels.
        """
        predicted = self._outputs(self._entered(X, options))[:, 0]
        ends = self.target.interval(self.document["calibration"], predicted, level)
        assert ends is not None
        return ends

    @available_if(attrgetter("_has_survival"))
    def predict_survival(self, X: Any, times: Sequence[float], **options: Any) -> Array:
        """Return the chance of every row to have no event up to each time: row × time.

        Absent where classes or numbers are predicted. The common hazard is known on a grid of
        times, so survival between two of them is that at the earlier one.

        Parameters
        ----------
        X, **options
            As in :meth:`read`.
        times : sequence of float
            From 0 to the last event of the training rows; later ones are refused.
        """
        return self._model.survival(self._entered(X, options), times)  # type: ignore[attr-defined]

    @available_if(attrgetter("has_probabilities"))
    def predict_proba(self, X: Any, **options: Any) -> Array:
        """Return the probability of every class; absent where the signature has none."""
        return self._chances(self._entered(X, options))

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def _chances(self, entered: Array) -> Array:
        calibration = self.document["calibration"]
        if calibration is None:
            return self._finite(self._model.probability(entered))
        return self.target.probabilities(calibration, self._scores(entered))

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def _scores(self, entered: Array) -> Array:
        return self._finite(self._model.scores(entered))

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def _outputs(self, entered: Array) -> Array:
        scores, moments = self._scores(entered), self.document["target"]["moments"]
        predicted = self._model.predict(entered, self.document["threshold"])
        return self.target.frozen_outputs(predicted, scores, moments)

    def predicted(self, X: Any, **options: Any) -> Predicted:
        """Return predictions, scores, probabilities and intervals as arrays."""
        return self._predicted(self._entered(X, options))

    def _predicted(self, entered: Array) -> Predicted:
        chances = self._chances(entered) if self.has_probabilities else None
        outputs = self._outputs(entered)
        interval = self.target.interval(self.document["calibration"], outputs[:, 0])
        return Predicted(outputs, chances, interval)

    def predictions(self, X: Any, **options: Any) -> pd.DataFrame:
        """Return predictions as a table, with what comes with them.

        Scores and probabilities of classes, 90 % intervals of numbers; of times until an event,
        ``predicted`` is the risk, with survival at the horizon and the risk group.
        """
        index = X.index if isinstance(X, pd.DataFrame) else None
        return self.predicted(X, **options).frame(self.target, index)

    def shifts(self, cohort: Cohort) -> list[FeatureShift]:
        """Return how each feature of a cohort, from :meth:`read`, lies against the training rows.

        Its outcomes are not known, so other class proportions, or higher numbers, look like another
        platform; :meth:`validate` takes the outcomes into account.
        """
        return feature_shifts(self.document, cohort)

    def _finite(self, scores: Array) -> Array:
        if not np.isfinite(scores).all():
            rows = np.flatnonzero(~np.isfinite(scores).all(axis=1))
            raise SignatureError(
                f"{len(rows)} rows have no finite score, first row {rows[0]}: the values are far "
                "outside those that the signature was trained on."
            )
        return scores

    def validate(
        self,
        X: Any,
        y: ArrayLike,
        *,
        mapping: Mapping[str, str] | None = None,
        margin: float = MARGIN,
        n_bootstrap: int = 2000,
        random_state: int = 0,
        **options: Any,
    ) -> Validation:
        """Test the signature on a cohort that had no part in making it, without refitting.

        Parameters
        ----------
        X, **options
            As in :meth:`read`.
        y : array-like of shape (n_rows,)
            Outcomes of the rows. They are compared with predictions, and with nothing else.
        mapping : dict of str to str, optional
            Names of the cohort's classes to those of the signature.
        margin : float, default=0.1
            A difference from the expected score counts as none if it is smaller than this share
            of the way from guessing to the best score: 0.1 is 0.05 of an AUC and 0.1 of R².
        n_bootstrap : int, default=2000
            Bootstrap samples of the cohort's rows, for intervals.
        random_state : int, default=0
            Seed of the bootstrap.
        """
        from backstay.signature._validate import validate

        rng = np.random.default_rng(random_state)
        return validate(self, X, y, mapping or {}, margin, n_bootstrap, rng, options)
