"""Signing a device in: a code that a person approves in a browser (docs/contract.md#signing-in-a-device)."""

from __future__ import annotations

import socket
import time
from http.cookies import CookieError, SimpleCookie
from typing import Callable

from .errors import ApiError, BadAnswer, SignInFailed, Unreachable
from .transport import COOKIE, Answered, Transport, path_of
from .wire import DeviceCodes

# Of a device's name, in characters.
NAME_MAX = 64
SLOWER_S = 5

# Shows the person the code and the address.
Show = Callable[[DeviceCodes], None]


def show(codes: DeviceCodes) -> None:
    print(f"Open {codes['verification_uri']} in a browser and type the code {codes['user_code']}", flush=True)


def name_of_this() -> str:
    return f"agon for Python on {socket.gethostname()}"[:NAME_MAX]


def _session_in(answered: Answered, url: str) -> str:
    for line in getattr(answered.headers, "get_all")("Set-Cookie", []):
        try:
            cookie: SimpleCookie[str] = SimpleCookie(line)
        except CookieError:
            continue
        if COOKIE in cookie and cookie[COOKIE].value:
            return cookie[COOKIE].value
    raise BadAnswer(f"{url} signed in without a session.")


def session_by_device(transport: Transport, shown: Show = show, client_name: str | None = None) -> str:
    """The token of a new session. A service that does not answer for a while is asked again until the code is over."""
    codes: DeviceCodes = transport.fields("POST", path_of("auth", "device"), body={"client_name": client_name or name_of_this()})
    shown(codes)
    interval_s, deadline = codes["interval"], time.monotonic() + codes["expires_in"]
    while time.monotonic() + interval_s < deadline:
        time.sleep(interval_s)
        try:
            answered = transport.answer("POST", path_of("auth", "device", "token"), body={"device_code": codes["device_code"]})
            return _session_in(answered, transport.url)
        except Unreachable:
            continue
        except ApiError as error:
            if error.code == "slow_down":
                interval_s += SLOWER_S
            elif error.code in ("access_denied", "expired_token"):
                raise SignInFailed(error.code, error.detail) from None
            elif error.code not in ("authorization_pending", "rate_limited", "unavailable"):
                raise
    raise SignInFailed("expired_token", "Nobody has approved the code in time; sign in again.")
