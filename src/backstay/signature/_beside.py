"""Covariates and batches of a signature: what is taken out of features, and joins them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from backstay._design import Adjustment, Covariates, Design
from backstay._identity import digest
from backstay._validation import seeded
from backstay.results import DatasetFacts
from backstay.signature._document import SignatureError
from backstay.signature._models import frozen_content
from backstay.signature._steps import Step, apply_steps, steps_of
from backstay.targets import Target

Array = NDArray[np.float64]


def same_design(data: DatasetFacts, covariates: Any, batch: Any) -> Design:
    """Return covariates and batches as the study was given them; refuse others."""
    found = None if covariates is None else Covariates.of(covariates)
    names = None if batch is None else np.asarray(batch)
    table = None if found is None else found.Z
    for name, values in (("covariates", table), ("batch", names)):
        known = data.fingerprints.get(name)
        if known != (None if values is None else digest(values)):
            raise SignatureError(
                f"{name} is not what the study was run with; give the same columns"
                f"{', ' + ', '.join(data.design['covariates']) if name in data.design else ''}."
            )
    return Design(found, names, centered=bool(data.design.get("centered")))


def adjusting_steps(train: Array, design: Design) -> tuple[list[Step], Array]:
    """Return what covariates and batches change in features, and the training rows after it."""
    fitted = Adjustment.fit(train, design)
    steps: list[Step] = [{"kind": "center"}] if fitted.means else []
    if fitted.regression is not None:
        mean, coef = fitted.regression.mean.tolist(), fitted.regression.coef.tolist()
        steps.append({"kind": "adjust", "mean": mean, "coef": coef})
    return steps, fitted.adjusted(fitted.centered(train, design), design)


def fitted_beside(
    train: Array, target: Target, model: Any, Z: Array, how: tuple[int, bool]
) -> tuple[list[Step], dict[str, Any]]:
    """Return a model fitted beside covariates as steps and content; `how`: seed, include_rows."""
    before = model[:-1].fit(train, target.values) if isinstance(model, Pipeline) else None
    own = steps_of(before, train.shape[1], np.arange(train.shape[1]))
    # Covariates enter linearly: where rows without any, and with one each, lie says all of it.
    probes = np.vstack([np.zeros((1, Z.shape[1])), np.eye(Z.shape[1])])
    beside = target.with_covariates(target.values, Z, probes)
    table, ends = beside.joined(model, apply_steps(own, train), np.empty((len(probes), 0)))
    fitted = seeded(beside.last_step(model), how[0]).fit(table, beside.values)
    content = frozen_content(fitted, target, how[1])
    if beside.offset is not None:
        ends = beside.offset[:, None]
        content = content if content is not None and content["kind"] == "linear" else None
    if content is None:
        raise SignatureError(
            f"{type(fitted).__name__} cannot be frozen beside covariates; freeze a linear model."
        )
    if beside.offset is not None:
        content["coef"] = [[*row, 1.0] for row in content["coef"]]
    coef = (ends[1:] - ends[0]).tolist()
    return [*own, {"kind": "join", "mean": Z.mean(axis=0).tolist(), "coef": coef}], content
