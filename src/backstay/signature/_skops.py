"""Other models: in the format of skops, which says what a file would load before it does."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Sequence
from typing import Any

from backstay.signature._error import SignatureError


def _skops() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ImportError(
            'this model needs skops to be frozen or loaded: pip install "backstay[skops]"'
        ) from error
    return skops.io


def skops_content(fitted: Any) -> dict[str, Any]:
    """Return a fitted model in the format of skops."""
    data = base64.b64encode(_skops().dumps(fitted)).decode("ascii")
    return {"kind": "skops", "model": type(fitted).__name__, "data": data}


def types_in(content: dict[str, Any]) -> list[str]:
    """Return the types that a file would load, beyond those that skops itself trusts."""
    data = _bytes(content)
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise SignatureError("model.data is not in the format of skops: it is no zip file.")
    try:
        types: list[str] = _skops().get_untrusted_types(data=data)
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, RecursionError) as error:
        said = f"{type(error).__name__}: {error}"
        raise SignatureError(f"model.data is not in the format of skops ({said}).") from error
    return types


def loaded_model(content: dict[str, Any], trusted: Sequence[str]) -> Any:
    """Load a model if all types in it are trusted."""
    unknown = sorted(set(types_in(content)) - set(trusted))
    if unknown:
        raise SignatureError(
            f"its model {content['model']} would load {', '.join(unknown)}; if you know these "
            "types and where the file comes from, name them as trusted.",
            parameter="trusted",
        )
    return _skops().loads(_bytes(content), trusted=list(trusted))


def _bytes(content: dict[str, Any]) -> bytes:
    try:
        return base64.b64decode(content["data"], validate=True)
    except ValueError as error:
        raise SignatureError("model.data is not base64.") from error
