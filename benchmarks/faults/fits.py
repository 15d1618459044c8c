"""A method on a random small table, often an odd one; a ranking, or an error in a sentence."""

import contextlib
import random
import signal
import warnings

import numpy as np

from backstay.base import outcomes_of
from backstay.study import list_methods, make_methods

FAULT = "method fitted on a random, odd table"
TRIALS = 500
BROKEN = {"nan", "wrong error", "endless"}
SECONDS = 120  # of this process, whatever else the machine does


def table(rng):
    n, d = int(rng.integers(4, 40)), int(rng.integers(1, 30))
    X = rng.normal(size=(n, d))
    odd = [
        np.round,
        lambda X: (X > 0).astype(float),
        lambda X: X * 10.0 ** rng.integers(-300, 300),
        lambda X: X * 10.0 ** rng.integers(-300, 300, size=d),
        lambda X: X[:, rng.integers(0, d, size=d)],
        lambda X: np.where(rng.random(d) < 0.5, 1.0, X),
        lambda X: X[rng.integers(0, n, size=n)],
        lambda X: X + 1e12,
    ]
    with np.errstate(all="ignore"):
        for change in odd:
            if rng.random() < 0.2:
                X = change(X)
    y = np.resize([0, 1], n) if rng.random() < 0.7 else np.resize([0, 1, 2], n)
    return X, rng.permutation(y)


class Endless(Exception):
    pass


def stop(number, frame):
    raise Endless


@contextlib.contextmanager
def laboratory():
    names = list_methods()["name"].tolist()
    signal.signal(signal.SIGVTALRM, stop)

    def trial(seed):
        name = random.Random(seed).choice(names)
        rng = np.random.default_rng(seed)
        X, y = table(rng)
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                (method,) = make_methods([name]).values()
                if "survival" in outcomes_of(method):
                    followed = np.empty(len(y), dtype=[("event", "?"), ("time", "<f8")])
                    followed["event"], followed["time"] = y > 0, rng.integers(1, 9, len(y))
                    y = followed
                method.fit(X, y)
        except ValueError as error:
            return "refused" if str(error).strip() else f"wrong error: {name}: no words"
        except Endless:
            return f"endless: {name} on {X.shape}"
        except Exception as error:
            return f"wrong error: {name} on {X.shape}: {type(error).__name__}: {error}"
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if np.isnan(method.feature_importances_).any():
            return f"nan: {name} on {X.shape}"
        if sorted(method.ranking_) != list(range(1, X.shape[1] + 1)):
            return f"wrong error: {name}: no ranking"
        return "ranked"

    yield trial
