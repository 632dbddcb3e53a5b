"""The answers of the API as types. docs/contract.md says what each field means; fields and values may be added to any of them."""

from __future__ import annotations

from typing import Any, Optional, TypedDict


# A word of Python's, which no class may have as a field.
ClassOrNot = TypedDict("ClassOrNot", {"class": Optional[str]})
Class = TypedDict("Class", {"class": str})


class Refusal(TypedDict):
    code: str
    detail: str


class DeviceCodes(TypedDict):
    device_code: str
    user_code: str
    verification_uri: str
    expires_in: int
    interval: int


class SeasonName(TypedDict):
    game: str
    season: str


class Identity(TypedDict):
    provider: str
    login: str


class Account(TypedDict):
    id: str
    username: str
    display_name: str
    bio: str
    admin: bool
    season_admin: list[SeasonName]
    identities: list[Identity]
    created_at: str


class Model(TypedDict):
    id: str
    game: str
    name: str
    owner: str | None
    retired: bool
    created_at: str


class Upload(TypedDict):
    method: str
    url: str
    headers: dict[str, str]
    max_bytes: int


class Uploads(TypedDict):
    weights: Upload
    manifest: Upload
    expires_at: str


class Submitted(TypedDict):
    version_id: str
    model_id: str
    model: str
    version: int
    status: str
    season: str
    weights_hash: str
    manifest_hash: str
    upload: Uploads


class Held(TypedDict):
    held: int
    cap: int


class Candidate(TypedDict):
    version_id: str
    status: str
    phase: str | None


class Preflight(TypedDict):
    game: str
    season: str
    open: bool
    models: Held
    versions: Held
    candidate: Candidate | None
    cooldown_until: str | None
    refusals: list[Refusal]


class Standing(TypedDict):
    rating: float
    deviation: float
    provisional: bool
    matches: int
    rank: int | None


class Trial(TypedDict):
    matches: int
    played: int
    failed: int
    match_ids: list[str]


class Version(ClassOrNot):
    version_id: str
    model_id: str
    model: str
    owner: str | None
    game: str
    season: str
    version: int
    status: str
    phase: str | None
    admit_attempt: int
    successor: int | None
    reject_reason: str | None
    note: str | None
    baseline: bool
    weights_hash: str
    manifest_hash: str
    class_max_bytes: int | None
    class_memory_flat_bytes: int | None
    class_memory_cell_bytes: int | None
    size_bytes: int | None
    memory_bytes: int | None
    param_count: int | None
    infer_us: int | None
    runtime_version: str | None
    trial: Trial | None
    ratings: dict[str, Standing]
    created_at: str
    last_played_at: str | None


class Waiting(TypedDict):
    reason: str
    ahead: int
    eta_s: list[int] | None


class OwnVersion(Version):
    reject_detail: str | None
    waiting: Waiting | None
    next_match_eta_s: list[int] | None


class LeaderboardEntry(Class):
    rank: int
    rank_low: int
    rank_high: int
    version_id: str
    model_id: str
    model: str
    owner: str | None
    version: int
    size_bytes: int
    rating: float
    deviation: float
    provisional: bool
    matches: int
    round_matches: int | None
    baseline: bool
    trend: float | None
    history: list[float]


class CardSeat(TypedDict):
    seat: int
    model_id: str
    version_id: str
    model: str
    owner: str | None
    rank: int | None
    score: int | None


class MatchCard(TypedDict):
    id: str
    game: str
    season: str
    ladder: str | None
    map: str
    is_trial: bool
    status: str
    turns: int | None
    reason: str | None
    played_at: str | None
    comments: int
    seats: list[CardSeat]


# Answers without a type of their own here.
Answer = dict[str, Any]
