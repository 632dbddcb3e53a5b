"""Entering a version: hash, preflight, submit, upload, follow. A version is known by the hashes of its files, so that the same call
again finds it and goes on from where it was."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Callable
from urllib.request import Request

from .errors import ApiError, BadAnswer, BadFile, SubmissionRefused, Unreachable, UploadFailed
from .transport import Transport, opener_for, path_of, send
from .wire import OwnVersion, Preflight, Submitted, Upload

UPLOAD_TIMEOUT_S = 600.0
UPLOAD_TRIES = 3
MANIFEST_MAX_BYTES = 65_536
LOOK_EVERY_S = 2.0
# How long the service may be away while a version is followed.
OUTAGE_S = 600.0
# Refusals that a submission meets for the state of its season, model or owner (docs/contract.md#refusals).
REFUSALS = (
    "season_not_open",
    "season_closed",
    "not_eligible",
    "model_retired",
    "model_cap_reached",
    "version_cap_reached",
    "cooldown",
    "candidate_in_flight",
    "weights_already_entered",
    "storage_full",
)

# Is told each stage of a followed version once.
OnStage = Callable[[str], None]


def bytes_of(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}.") from None


def manifest_beside(weights: str | Path) -> Path:
    manifest = Path(weights).with_suffix(".json")
    if not manifest.is_file():
        raise BadFile(f"{weights} has no manifest beside it: {manifest} is missing.")
    return manifest


def hash_of(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def preflight(transport: Transport, game: str, season: str | None, model_id: str | None) -> Preflight:
    answer: Preflight = transport.fields("GET", path_of("games", game, "submission"), {"season": season, "model": model_id})
    return answer


def too_large(what: str, size: int, most: int) -> BadFile:
    return BadFile(f"{what} {size} bytes; the season takes {most} at most.")


def check_sizes(transport: Transport, game: str, season: str, weights: bytes, manifest: bytes) -> None:
    """Refuses files that no season takes, or no class of this one holds, before a version is announced for them: it would wait for its
    upload, and other files with it, until the window closes."""
    if len(weights) == 0:
        raise BadFile("The weights file is empty.")
    if len(manifest) > MANIFEST_MAX_BYTES:
        raise too_large("The manifest has", len(manifest), MANIFEST_MAX_BYTES)
    classes = transport.fields("GET", path_of("private", "games", game, "seasons", season))["weight_classes"]
    size, largest = len(weights) + len(manifest), max(one["max_bytes"] for one in classes)
    if size > largest:
        raise too_large("Weights and manifest have", size, largest)


def post(transport: Transport, body: dict[str, str | int | None]) -> Submitted:
    """The version, new or begun before."""
    try:
        answer: Submitted = transport.fields("POST", path_of("submissions"), body=body)
    except ApiError as error:
        if error.code in REFUSALS:
            raise SubmissionRefused([{"code": error.code, "detail": error.detail}]) from error
        raise
    return answer


def send_file(upload: Upload, name: str, content: bytes) -> None:
    """Repeated where the store does not answer or fails; its refusals are final. The session does not go there."""
    if len(content) > upload["max_bytes"]:
        raise too_large("The weights have" if name == "weights" else "The manifest has", len(content), upload["max_bytes"])
    opener = opener_for(upload["url"])
    for attempt in range(1, UPLOAD_TRIES + 1):
        request = Request(upload["url"], data=content, headers=upload["headers"], method=upload["method"])
        if not request.has_header("Content-type"):
            request.add_header("Content-type", "application/octet-stream")
        try:
            status = send(opener, request, UPLOAD_TIMEOUT_S).status
            if 200 <= status < 300:
                return
            if status < 500 or attempt == UPLOAD_TRIES:
                raise UploadFailed(status)
        except Unreachable:
            if attempt == UPLOAD_TRIES:
                raise
        time.sleep(attempt)


def stage_of(version: OwnVersion) -> str:
    """How far a version is, in a line."""
    if version["status"] != "testing":
        return version["status"]
    trial = version["trial"]
    if version["phase"] == "trial" and trial is not None:
        return f"trial: {trial['played']} of {trial['matches']} matches played"
    return version["phase"] or version["status"]


def end_of(version: OwnVersion) -> str:
    """How it ended, in a sentence."""
    if version["status"] == "rejected":
        return f"rejected ({version['reject_reason']}): {version['reject_detail'] or 'no reason was given'}"
    ladder = "" if version["class"] is None else f", class {version['class']}"
    return f"{version['status']}: {version['model']} version {version['version']} in {version['season']}{ladder}"


def follow(transport: Transport, version_id: str, on_stage: OnStage | None, look_every_s: float = LOOK_EVERY_S) -> OwnVersion:
    """The version when it is no longer in admission."""
    told, answered = "", time.monotonic()
    while True:
        try:
            version: OwnVersion = transport.fields("GET", path_of("me", "versions", version_id))
            answered = time.monotonic()
            if version["status"] != "testing":
                return version
            stage = stage_of(version)
            if stage != told and on_stage is not None:
                on_stage(stage)
            told = stage
        except (Unreachable, BadAnswer, ApiError) as error:
            # A proxy in front of a service that is away answers in words of its own.
            if isinstance(error, ApiError) and error.status not in (429, 503):
                raise
            if time.monotonic() - answered > OUTAGE_S:
                raise
        time.sleep(look_every_s)
