"""Requests over HTTP. Answers that say when to come again, 429 and 503, are waited for as long as they tell, within a limit."""

from __future__ import annotations

import http.client
import json
import time
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import Any, Mapping
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from .errors import AgonError, ApiError, BadAnswer, NotSignedIn, Unreachable

# The service answers within 60 s, or with 503.
TIMEOUT_S = 90.0
# How long one call waits, all of its Retry-After together.
PATIENCE_S = 300.0
# Of an answer; a page of the largest list is a fraction of it.
ANSWER_BYTES_MAX = 32 * 1024 * 1024
STANDARD_WAIT_S = 1.0
# Between two requests where an answer says to come again at once.
LEAST_WAIT_S = 0.1
COOKIE = "service_session"


class _NoRedirects(HTTPRedirectHandler):
    """The session must go to nobody but the service."""

    def redirect_request(self, *_: Any) -> None:
        return None


def opener_for(url: str) -> OpenerDirector:
    """The environment's proxy is for other machines."""
    host = urlsplit(url).hostname or ""
    try:
        is_here = ip_address(host).is_loopback
    except ValueError:
        is_here = host == "localhost"
    return build_opener(_NoRedirects(), *([ProxyHandler({})] if is_here else []))


def origin_of(url: str) -> str:
    """`https://agon.example` of an address as people type it, such as `https://agon.example/`."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.path in ("", "/") and not parts.query and parts.username is None
        parts.port
    except ValueError:
        good = False
    if not good:
        raise AgonError(f"The address of a service is like https://agon.example, not {url}.")
    return f"{parts.scheme}://{parts.netloc}"


def path_of(*parts: str) -> str:
    """The path of a route, whatever its names hold: path_of("games", "snakes") is /v1/games/snakes."""
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def wait_of(retry_after: str | None) -> float:
    """Seconds, of the header Retry-After in either of its forms."""
    if retry_after is None:
        return STANDARD_WAIT_S
    try:
        return max(LEAST_WAIT_S, float(int(retry_after)))
    except OverflowError:
        return float("inf")
    except ValueError:
        pass
    try:
        return max(LEAST_WAIT_S, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return STANDARD_WAIT_S


class Fields(dict[str, Any]):
    """An object of an answer. One without a field that is asked for is no answer that this client knows."""

    def __init__(self, members: Mapping[str, Any], url: str) -> None:
        super().__init__(members)
        self._url = url

    def __missing__(self, name: str) -> Any:
        raise BadAnswer(f"{self._url} gave an answer that this client does not know: it has no {name}.")


class Answered:
    """A status, its headers, and the body that has been read."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    def json(self, url: str) -> Any:
        try:
            return json.loads(self.body, object_hook=lambda members: Fields(members, url)) if self.body else None
        except ValueError:
            raise BadAnswer(f"{url} does not answer as a service does: its answer is not JSON.") from None


def send(opener: OpenerDirector, request: Request, timeout_s: float, bytes_max: int = ANSWER_BYTES_MAX) -> Answered:
    """Any status is an answer; whoever does not answer is Unreachable."""
    where = f"{urlsplit(request.full_url).scheme}://{urlsplit(request.full_url).netloc}"
    try:
        try:
            response = opener.open(request, timeout=timeout_s)
        except HTTPError as refused:
            response = refused
        with response:
            body = response.read(bytes_max + 1)
    except (URLError, OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise Unreachable(f"{where} does not answer: {reason}.") from error
    if len(body) > bytes_max:
        raise BadAnswer(f"{where} answered with more than {bytes_max} bytes.")
    return Answered(int(response.status or 0), response.headers, body)


class Transport:
    """The service at `url`, with a session or without."""

    def __init__(self, url: str, session: str | None = None, *, patience_s: float = PATIENCE_S, timeout_s: float = TIMEOUT_S) -> None:
        self.url, self.session = origin_of(url), session
        self.patience_s, self.timeout_s = patience_s, timeout_s
        self._opener = opener_for(self.url)

    def _once(self, method: str, path: str, query: Mapping[str, Any], body: Any) -> Answered:
        given = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items() if value is not None}
        request = Request(self.url + path + ("?" + urlencode(given) if given else ""), method=method)
        request.add_header("Accept", "application/json")
        request.add_header("User-Agent", "agon-client (Python)")
        if self.session is not None:
            request.add_header("Cookie", f"{COOKIE}={self.session}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        return send(self._opener, request, self.timeout_s)

    def answer(self, method: str, path: str, query: Mapping[str, Any] = {}, body: Any = None) -> Answered:
        """The answer to a request that the service took. Waits where it is put off; other refusals are errors."""
        deadline = time.monotonic() + self.patience_s
        while True:
            answered = self._once(method, path, query, body)
            if answered.status < 300:
                return answered
            error, wait_s = self._error(answered), wait_of(answered.headers.get("Retry-After"))
            if answered.status not in (429, 503) or time.monotonic() + wait_s > deadline:
                raise error
            time.sleep(wait_s)

    def ask(self, method: str, path: str, query: Mapping[str, Any] = {}, body: Any = None) -> Any:
        """The JSON of `answer`."""
        return self.answer(method, path, query, body).json(self.url)

    def get(self, *parts: str, **query: Any) -> Any:
        return self.ask("GET", path_of(*parts), query)

    def fields(self, method: str, path: str, query: Mapping[str, Any] = {}, body: Any = None) -> Any:
        """The object that a route answers with; BadAnswer where it is none."""
        answer = self.ask(method, path, query, body)
        if not isinstance(answer, dict):
            raise BadAnswer(f"{self.url} gave an answer that this client does not know: it is no object.")
        return answer

    def _error(self, answered: Answered) -> AgonError:
        try:
            problem = json.loads(answered.body)
        except ValueError:
            problem = None
        if not isinstance(problem, dict) or "code" not in problem:
            return BadAnswer(f"{self.url} does not answer as a service does: status {answered.status}.")
        if problem["code"] == "unauthenticated":
            return NotSignedIn("Sign in: there is no session, or it has ended.")
        retry_after = answered.headers.get("Retry-After")
        return ApiError(answered.status, problem, None if retry_after is None else wait_of(retry_after))


def rows(answer: Any, name: str, url: str) -> list[Any]:
    """The list of a page."""
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise BadAnswer(f"{url} answered a page without {name}.")
    return found
