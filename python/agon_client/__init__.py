"""Client of an Agon service, on the standard library alone. `Client.sign_in(url)`, then `submit`, `follow`, and lists as iterators."""

from .client import Client
from .errors import (
    AgonError,
    ApiError,
    BadAnswer,
    BadFile,
    NotSignedIn,
    SignInFailed,
    SubmissionRefused,
    Unreachable,
    UploadFailed,
)
from .submission import end_of, stage_of

__all__ = [
    "AgonError",
    "ApiError",
    "BadAnswer",
    "BadFile",
    "Client",
    "NotSignedIn",
    "SignInFailed",
    "SubmissionRefused",
    "Unreachable",
    "UploadFailed",
    "end_of",
    "stage_of",
]
