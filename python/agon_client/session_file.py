"""The session that a sign-in keeps: the file of the tool `agon`, so that whoever has signed in with one has signed in with the other.

One session, in `agon/session.json` of the user's configuration folder (XDG_CONFIG_HOME, or ~/.config). Only the user may read it. It is
written beside and renamed, so that it is whole or not there.
"""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path
from typing import NamedTuple

from .errors import BadFile, NotSignedIn

# When a session ends by itself (docs/contract.md#sessions).
ENDS_AFTER = "30 days after the sign-in"
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


class KeptSession(NamedTuple):
    url: str
    session: str
    username: str


def path() -> Path:
    folder = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(folder) / "agon" / "session.json"


def read() -> KeptSession | None:
    """The kept session, where there is one."""
    file = path()
    try:
        kept = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except OSError:
        raise BadFile(f"{file} cannot be read.") from None
    except ValueError:
        kept = None
    fields = [kept[name] for name in KeptSession._fields if isinstance(kept.get(name), str)] if isinstance(kept, dict) else []
    if len(fields) != len(KeptSession._fields):
        raise BadFile(f"{file} is not a session of agon login; remove it.")
    return KeptSession(*fields)


def signed_in() -> KeptSession:
    kept = read()
    if kept is None:
        raise NotSignedIn("You are not signed in: python3 -m agon_client login.")
    return kept


def _write(file: Path, text: str) -> None:
    """Beside, and only for the user from its first byte on."""
    file.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    beside = file.with_name(f"{file.name}.{uuid.uuid4()}")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "w", encoding="utf-8") as out:
            out.write(text)
        os.replace(beside, file)
    finally:
        beside.unlink(missing_ok=True)


def prepare() -> None:
    """Fails where no session can be kept: before one is made."""
    file = path()
    tried = file.with_name(f".{uuid.uuid4()}")
    try:
        _write(tried, "")
        tried.unlink()
    except OSError:
        raise BadFile(f"{file.parent} cannot be written, so no session can be kept.") from None


def keep(kept: KeptSession) -> Path:
    file = path()
    try:
        _write(file, json.dumps(kept._asdict(), indent=2) + "\n")
    except OSError:
        raise BadFile(f"{file} cannot be written.") from None
    return file


def forget() -> None:
    file = path()
    try:
        file.unlink(missing_ok=True)
    except OSError:
        raise BadFile(f"{file} cannot be removed.") from None
