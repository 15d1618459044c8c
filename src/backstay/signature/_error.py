"""The error of everything that is wrong with a signature, or with a table for it."""

from __future__ import annotations

from backstay._refusal import Refusal


class SignatureError(Refusal):
    """A signature cannot be used as it is; the message says why."""
