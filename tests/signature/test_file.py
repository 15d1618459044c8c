"""The file: the same bits again, from anyone, and nothing in it that runs."""

import base64
import copy
import hashlib
import json
import os
import random
import subprocess
import sys

import jsonschema
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from backstay.signature import Signature, SignatureError
from backstay.signature._document import first_fault
from signature.conftest import rows

FRESH, _ = rows(11)
N_MUTATIONS = 240


@pytest.fixture(scope="module")
def documents(two, three):
    """A document of every kind of model."""
    found = {}
    for (results, X, y), names in (
        (two, ("svm", "logistic", "shrunken", "bayes", "3nn")),
        (three, ("svm", "lda")),
    ):
        for name in names:
            frozen = results.freeze(X, y, ("t", 4, name), include_rows=True)
            found[f"{len(frozen.classes_)} {name}"] = frozen.document
    return found


def forged(document):
    """The document with the checksum that it would have had if it had been frozen so."""
    rest = {key: value for key, value in document.items() if key != "checksum"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return {**document, "checksum": hashlib.sha256(text.encode()).hexdigest()}


def load(text, folder):
    """The signature of a file that holds this text."""
    path = folder / "given.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Signature.load(path)


def outputs(signature):
    found = [signature.predict(FRESH), signature.decision_function(FRESH)]
    return found + ([signature.predict_proba(FRESH)] if signature.has_probabilities else [])


def test_another_process_predicts_the_same_bits(documents, tmp_path):
    FRESH.to_csv(tmp_path / "fresh.csv", index=False, float_format="%.17g")
    for name, document in documents.items():
        Signature(document).save(tmp_path / f"{name}.json")
    code = """
import pathlib
import numpy as np, pandas as pd
from backstay.signature import Signature
fresh = pd.read_csv("fresh.csv", float_precision="round_trip")
for path in sorted(pathlib.Path().glob("*.json")):
    one = Signature.load(path)
    scores = one.decision_function(fresh)
    chances = one.predict_proba(fresh) if one.has_probabilities else scores
    np.savez(path.stem, predicted=one.predict(fresh).astype(str), scores=scores, chances=chances)
"""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, env=environment)
    for name, document in documents.items():
        here = outputs(Signature(document))
        there = np.load(tmp_path / f"{name}.npz")
        assert_array_equal(there["predicted"], here[0].astype(str))
        assert there["scores"].tobytes() == here[1].tobytes()
        assert there["chances"].tobytes() == (here[2] if len(here) > 2 else here[1]).tobytes()


def test_saving_what_was_loaded_changes_nothing(signature, tmp_path):
    first = signature.save(tmp_path / "first.json").read_bytes()
    again = Signature.load(tmp_path / "first.json").save(tmp_path / "again.json").read_bytes()
    assert first == again


def paths(value, at=()):
    """Every place in a document."""
    yield at
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths(item, (*at, key))


STRANGE = [
    None, True, 0, -1, 1e308, -1e308, 2**70, "", "x", "__import__('os')", [], {}, [[]], 0.5,
    {"__reduce__": ["os.system", "true"]}, {"kind": "skops", "model": "x", "data": "QUJD"},
]  # fmt: skip


def mutated(document, rng):
    """A document with one place changed, dropped, doubled or swapped."""
    document = copy.deepcopy(document)
    at = rng.choice([path for path in paths(document) if path])
    parent = document
    for key in at[:-1]:
        parent = parent[key]
    how = rng.choice(["replace", "replace", "drop", "nudge", "repeat"])
    old = parent[at[-1]]
    if how == "nudge" and isinstance(old, int | float) and not isinstance(old, bool):
        parent[at[-1]] = old + rng.choice([1, -1, 0.25, 1e-9])
    elif how == "repeat" and isinstance(old, list):
        parent[at[-1]] = old + old[:1]
    elif how == "drop":
        del parent[at[-1]]
    else:
        parent[at[-1]] = rng.choice(STRANGE)
    return document


def test_changed_files_are_refused_or_predict_the_same(documents, tmp_path):
    rng = random.Random(0)
    kinds = {name: outputs(Signature(document)) for name, document in documents.items()}
    refused = []
    for number in range(N_MUTATIONS):
        name = list(kinds)[number % len(kinds)]
        if number % 3:
            text = json.dumps(mutated(documents[name], rng))
        else:  # bytes that are cut, changed or repeated
            text = bytearray(json.dumps(documents[name]).encode())
            place = rng.randrange(len(text))
            match rng.randrange(4):
                case 0:
                    del text[place:]
                case 1:
                    text[place] = rng.randrange(256)
                case 2:
                    text[place:place] = text[place : place + 20]
                case _:
                    text[place:place] = b" "
            text = bytes(text)
        try:
            found = outputs(load(text, tmp_path))
        except SignatureError as error:
            refused.append(str(error))
            continue
        for new, old in zip(found, kinds[name], strict=True):
            assert_array_equal(new, old)
    assert len(refused) > 0.8 * N_MUTATIONS
    assert all(message.endswith(".") for message in refused)


def test_forged_files_are_refused_or_predict_something(documents, tmp_path):
    """With a checksum that is right: an error of ours, or predictions; no other error."""
    rng, published = random.Random(1), jsonschema.Draft202012Validator(Signature.schema())
    for number in range(150):
        name = list(documents)[number % len(documents)]
        document = mutated(documents[name], rng)
        if number % 2:  # our reader of the schema and the package of that name agree
            fault = first_fault(document)
            assert (fault is None) == published.is_valid(document), fault
        try:
            signature = load(json.dumps(forged(document)), tmp_path)
            predicted = signature.predict(FRESH, feature_names=None)
        except SignatureError:
            continue
        assert len(predicted) == len(FRESH)


def test_every_document_has_the_published_form(documents):
    jsonschema.Draft202012Validator.check_schema(Signature.schema())
    for document in documents.values():
        jsonschema.validate(document, Signature.schema())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "nested too deeply"),
        ("9" * 10_000, "is not JSON"),
        ("[1]", "not a signature"),
        ('{"format": "backstay signature", "version": 2}', "version 2"),
        (b"\xff", "is not JSON"),
        ("", "is not JSON"),
    ],
)
def test_what_is_no_signature_is_refused(text, message, tmp_path):
    with pytest.raises(SignatureError, match=message):
        load(text, tmp_path)


def test_a_changed_number_is_noticed(signature):
    document = copy.deepcopy(signature.document)
    document["model"]["coef"][0][0] += 1e-12
    with pytest.raises(SignatureError, match="was changed after it was frozen"):
        Signature(document).predict(FRESH)


def test_other_classifiers_say_what_they_load(two, tmp_path):
    pytest.importorskip("skops")
    results, X, y = two
    frozen = results.freeze(X, y, ("t", 4, "forest"))
    path = frozen.save(tmp_path / "forest.json")
    trusted = frozen.trusted
    if trusted:
        with pytest.raises(SignatureError, match=r"would load .*name them as trusted"):
            Signature.load(path)
    loaded = Signature.load(path, trusted=trusted)
    for new, old in zip(outputs(loaded), outputs(frozen), strict=True):
        assert_array_equal(new, old)


def test_a_stranger_cannot_have_types_loaded(two):
    skops = pytest.importorskip("skops.io")
    results, X, y = two
    content = dict(results.freeze(X, y, ("t", 4, "svm")).document)
    data = base64.b64encode(skops.dumps(_Dangerous())).decode()
    content |= {"threshold": None, "calibration": None}
    content["model"] = {"kind": "skops", "model": "SVC", "data": data}
    with pytest.raises(SignatureError, match="_Dangerous"):
        Signature(forged(content)).predict(X)


class _Dangerous:
    def __init__(self):
        self.classes_ = [0, 1]

    def predict(self, X):
        raise AssertionError("it ran")
