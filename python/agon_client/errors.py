"""The errors of a call. Each says in one sentence what is wrong."""

from __future__ import annotations

from typing import Any, Mapping

from .wire import Refusal


class AgonError(Exception):
    """All errors of this package."""


class Unreachable(AgonError):
    """The service, or its object store, did not answer."""


class BadAnswer(AgonError):
    """Something answered that is no Agon service, or one that this client does not know."""


class NotSignedIn(AgonError):
    """There is no session, or it has ended."""


class SignInFailed(AgonError):
    """A person has refused the sign-in of this device, or nobody has approved it in time. `code` is the API's."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class BadFile(AgonError):
    """A file of this machine cannot be read, written or sent."""


class ApiError(AgonError):
    """The service refused a request (docs/contract.md#errors). Switch on `code`; `detail` is a sentence for people."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after_s: float | None = None) -> None:
        self.status = status
        self.code: str = str(problem.get("code", "unknown"))
        self.detail: str = str(problem.get("detail") or problem.get("title") or f"The service answered {status}.")
        # All fields of the answer, such as `retry_at` of a cooldown.
        self.problem = dict(problem)
        self.retry_after_s = retry_after_s
        super().__init__(f"{self.code}: {self.detail}")


class SubmissionRefused(AgonError):
    """The service would not take the version. `refusals` are all reasons that hold, the first one first."""

    def __init__(self, refusals: list[Refusal]) -> None:
        self.refusals = refusals
        self.code = refusals[0]["code"]
        self.detail = refusals[0]["detail"]
        super().__init__("; ".join(f"{one['code']}: {one['detail']}" for one in refusals))


class UploadFailed(AgonError):
    """The object store refused a file: 413 too large, 400 other bytes than announced, 403 too late, 507 no room on the service's disk."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(f"The object store answered {status}.")
