"""The client: `Client(url)` reads what everybody may, `Client.sign_in(url)` and `Client.signed_in()` act for a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator
from unicodedata import normalize

from . import session_file, sign_in, submission
from .errors import ApiError, BadAnswer, NotSignedIn, SubmissionRefused, Unreachable
from .session_file import KeptSession
from .transport import PATIENCE_S, Transport, path_of, rows
from .wire import Account, Answer, LeaderboardEntry, MatchCard, Model, OwnVersion, Preflight, Submitted

# Rows of a page where the caller does not say; every list gives as many.
PAGE_ROWS = 50


class Client:
    def __init__(self, url: str, session: str | None = None, *, patience_s: float = PATIENCE_S) -> None:
        """`patience_s`: how long a call waits at most where the service says to come again (429, 503)."""
        self._transport = Transport(url, session, patience_s=patience_s)
        self.url = self._transport.url

    # Signing in

    @classmethod
    def signed_in(cls) -> Client:
        """With the session that `sign_in` or the tool `agon` has kept."""
        kept = session_file.signed_in()
        return cls(kept.url, kept.session)

    @classmethod
    def sign_in(cls, url: str, show: sign_in.Show = sign_in.show, *, client_name: str | None = None) -> Client:
        """A kept session at this service if it still stands; else a new one, which a person approves in a browser, and which is kept.

        Raises NotSignedIn where a session at another service stands. One whose service is gone is replaced.
        """
        client = cls(url)
        kept = session_file.read()
        if kept is not None:
            own = cls(kept.url, kept.session)
            if own.url == client.url and own._stands():
                return own
            if own.url != client.url and own._hinders():
                raise NotSignedIn(f"You are signed in at {own.url}: sign out there first.")
        session_file.prepare()
        own = cls(client.url, sign_in.session_by_device(client._transport, show, client_name))
        try:
            session_file.keep(KeptSession(own.url, str(own._transport.session), own.me()["username"]))
        except BaseException:
            # Otherwise the session would stand for a month with nobody to use it.
            own._end()
            raise
        return own

    def sign_out(self) -> str | None:
        """Ends the session at the service, and forgets it here.

        Where no service answers any more, it is forgotten here alone: the answer is a sentence that says why, and else None.
        """
        unanswered = self._end()
        kept = session_file.read()
        if kept is not None and kept.session == self._transport.session:
            session_file.forget()
        return unanswered

    def _end(self) -> str | None:
        """Why no service has ended the session; None where it has ended."""
        try:
            self._transport.ask("DELETE", path_of("session"))
        except NotSignedIn:
            pass
        except (Unreachable, BadAnswer) as error:
            return str(error)
        return None

    def _stands(self) -> bool:
        try:
            self.me()
        except NotSignedIn:
            return False
        return True

    def _hinders(self) -> bool:
        """Whether the session stands in the way of one at another service: not where its own is gone, or it would for ever."""
        try:
            return self._stands()
        except (Unreachable, BadAnswer):
            return False

    def me(self) -> Account:
        account: Account = self._transport.fields("GET", path_of("me"))
        return account

    # Entering a version

    def model(self, game: str, name: str) -> Model | None:
        """The caller's model of this name, however its letters are composed."""
        kept = normalize("NFC", name)
        return next((model for model in self.models(game) if normalize("NFC", model["name"]) == kept), None)

    def create_model(self, game: str, name: str) -> Model:
        model: Model = self._transport.fields("POST", path_of("games", game, "models"), body={"name": name})
        return model

    def preflight(self, game: str, season: str | None = None, model_id: str | None = None) -> Preflight:
        """Where the caller stands against the limits: `refusals` are those that a submission would meet now."""
        return submission.preflight(self._transport, game, season, model_id)

    def submit(
        self,
        weights: str | Path,
        manifest: str | Path | None = None,
        *,
        game: str,
        model: str,
        season: str | None = None,
        note: str | None = None,
    ) -> OwnVersion:
        """Submits a version of the model of this name, which is made if there is none, and uploads its files.

        Without `manifest` the file beside the weights is taken, without `season` the game's featured one. The same call again finds the
        version that it has begun and goes on. Raises SubmissionRefused with every reason that the service foresees.
        """
        content = {
            "weights": submission.bytes_of(weights),
            "manifest": submission.bytes_of(manifest if manifest is not None else submission.manifest_beside(weights)),
        }
        hashes = {f"{name}_hash": submission.hash_of(part) for name, part in content.items()}
        submitted = self._enter(game, season, model.strip(), content, {**hashes, "weights_bytes": len(content["weights"]), "note": note})
        version: OwnVersion = self.version(submitted["version_id"])
        if version["phase"] != "upload":
            return version
        submission.send_file(submitted["upload"]["weights"], "weights", content["weights"])
        submission.send_file(submitted["upload"]["manifest"], "manifest", content["manifest"])
        return self.version(submitted["version_id"])

    def _enter(
        self, game: str, season: str | None, name: str, content: dict[str, bytes], more: dict[str, str | int | None]
    ) -> Submitted:
        """Of the same files again the service answers their version, whatever it would refuse of others; so a foreseen refusal keeps
        only a new model from being made."""
        known = self.model(game, name)
        before = self.preflight(game, season, None if known is None else known["id"])
        foreseen = before["refusals"]
        if known is None and foreseen:
            raise SubmissionRefused(foreseen)
        submission.check_sizes(self._transport, game, before["season"], **content)
        if known is None:
            known = self._make(game, name)
        try:
            return submission.post(self._transport, {"game": game, "season": season, "model": known["id"], **more})
        except SubmissionRefused:
            if foreseen:
                raise SubmissionRefused(foreseen) from None
            raise

    def _make(self, game: str, name: str) -> Model:
        try:
            return self.create_model(game, name)
        except ApiError as error:
            # By another process, or by a request of this one whose answer was lost.
            made = self.model(game, name) if error.code == "model_name_taken" else None
            if made is None:
                raise
            return made

    def follow(self, version_id: str, on_stage: submission.OnStage | None = None) -> OwnVersion:
        """The version once it is no longer in admission: `entered`, or `rejected` with its reason. `on_stage` is told each stage once."""
        return submission.follow(self._transport, version_id, on_stage)

    def version(self, version_id: str) -> OwnVersion:
        """A version of the caller's, in any state."""
        version: OwnVersion = self._transport.fields("GET", path_of("me", "versions", version_id))
        return version

    # Reading

    def get(self, *parts: str, **query: Any) -> Any:
        """The answer of any other route: client.get("games", "snakes", "seasons")."""
        return self._transport.get(*parts, **query)

    def pages(self, *parts: str, limit: int = PAGE_ROWS, **query: Any) -> Iterator[Answer]:
        """Every page of a list, each asked for when it is wanted."""
        cursor: str | None = None
        while True:
            answer = self._transport.get(*parts, **{**query, "limit": limit, "cursor": cursor})
            if not isinstance(answer, dict) or "next_cursor" not in answer:
                raise BadAnswer(f"{path_of(*parts)} is not a list of pages.")
            yield answer
            following = answer["next_cursor"]
            if following is None:
                return
            if following == cursor:
                raise BadAnswer(f"{path_of(*parts)} leads from a page to the same page.")
            cursor = following

    def rows(self, name: str, *parts: str, limit: int = PAGE_ROWS, **query: Any) -> Iterator[Any]:
        """The rows of every page: client.rows("rounds", "games", "snakes", "seasons", "spring", "rounds")."""
        for page in self.pages(*parts, limit=limit, **query):
            yield from rows(page, name, self.url)

    def models(self, game: str) -> Iterator[Model]:
        """The caller's."""
        return self.rows("models", "models", game=game)

    def candidates(self) -> Iterator[OwnVersion]:
        """The caller's versions in admission or trial."""
        return self.rows("candidates", "me", "candidates")

    def leaderboard(self, game: str, *, season: str | None = None, ladder: str | None = None) -> Iterator[LeaderboardEntry]:
        """By rank. Ratings move between two pages, so a row may come twice or not at all."""
        return self.rows("entries", "games", game, "leaderboard", season=season, ladder=ladder)

    def matches(self, **query: Any) -> Iterator[MatchCard]:
        """
        Matches that count, newest first, and among them trials that were passed (`is_trial`); `query` as in
        docs/contract.md#matches: game, season, model, map and so on. A match that ends meanwhile moves the others,
        so a row may come twice.
        """
        return self.rows("matches", "matches", **query)

    def own_matches(self, **query: Any) -> Iterator[Answer]:
        """The caller's matches, in every state."""
        return self.rows("matches", "me", "matches", **query)
