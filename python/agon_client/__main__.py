"""python3 -m agon_client: signs in, submits and follows from a shell. Exit status 0 for yes, 1 for no, 2 where it could not run."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Iterable

from . import AgonError, Client, SignInFailed, SubmissionRefused, end_of, session_file, stage_of
from .wire import LeaderboardEntry

# The true strength is within so many deviations of the rating with a probability of 95 %: the ± of the site's pages.
DEVIATIONS_95 = 1.96


def shown(text: str) -> str:
    """A name without what a terminal would obey."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def login(given: argparse.Namespace) -> int:
    client = Client.sign_in(given.url)
    print(f"Signed in as {client.me()['username']} at {client.url}")
    return 0


def logout(_: argparse.Namespace) -> int:
    kept = session_file.signed_in()
    unanswered = Client(kept.url, kept.session).sign_out()
    if unanswered is None:
        print(f"The session at {kept.url} has ended.")
    else:
        print(unanswered)
        print(f"The session of {kept.username} is forgotten here. At {kept.url} it ends by itself, {session_file.ENDS_AFTER}.")
    return 0


def submit(given: argparse.Namespace) -> int:
    client = Client.signed_in()
    version = client.submit(given.weights, given.manifest, game=given.game, model=given.model, season=given.season, note=given.note)
    print(f"{version['model']} version {version['version']} in {version['season']}: {version['version_id']}", flush=True)
    version = client.follow(version["version_id"], lambda stage: print(stage, flush=True))
    print(end_of(version))
    return 1 if version["status"] == "rejected" else 0


def nobody_reads() -> None:
    """Sends whatever is still to be printed nowhere, or Python would complain of it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def listed(lines: Iterable[str], none: str) -> int:
    """Prints each as soon as it is there, or the sentence where there is none. Whoever has read enough may leave, as `head` does."""
    line = None
    try:
        for line in lines:
            print(line, flush=True)
        if line is None:
            print(none, flush=True)
    except ConnectionError:
        nobody_reads()
    return 0


def status(_: argparse.Namespace) -> int:
    return listed(
        (
            f"{one['game']}/{one['season']}  {shown(one['model'])} version {one['version']}  {stage_of(one)}"
            for one in Client.signed_in().candidates()
        ),
        "No version is in admission.",
    )


def ranked(entry: LeaderboardEntry) -> str:
    owner = "baseline" if entry["owner"] is None else shown(entry["owner"])
    half = DEVIATIONS_95 * entry["deviation"]
    return f"{entry['rank']:4}  {entry['rating']:7.1f} ± {half:5.1f}  {shown(entry['model'])} ({owner})"


def ladder(given: argparse.Namespace) -> int:
    entries = Client(given.url).leaderboard(given.game, season=given.season, ladder=given.ladder)
    return listed(map(ranked, entries), "No entry is on this ladder.")


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="agon_client", description="Signs in at an Agon service, submits models and reads ladders.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, about in (
        ("login", login, "sign in by a code that you approve in a browser"),
        ("logout", logout, "end the session"),
        ("submit", submit, "submit a version and follow it until it is entered or rejected"),
        ("status", status, "your versions in admission"),
        ("ladder", ladder, "the ranking of a game"),
    ):
        command = commands.add_parser(name, help=about, description=about)
        command.set_defaults(run=run)
        if name in ("login", "ladder"):
            command.add_argument("--url", required=True, help="address of the service")
        if name in ("submit", "ladder"):
            command.add_argument("--game", required=True)
            command.add_argument("--season", help="default: the game's featured one")
        if name == "ladder":
            command.add_argument("--ladder", help="default: open")
        if name == "submit":
            command.add_argument("weights", metavar="MODEL.onnx")
            command.add_argument("manifest", metavar="MANIFEST.json", nargs="?", help="default: the file beside the model")
            command.add_argument("--model", required=True, help="name of your model; it is made if you have none of this name")
            command.add_argument("--note", help="note that others read beside the version")
    return parser


def main() -> int:
    given = options().parse_args()
    try:
        return int(given.run(given))
    except SubmissionRefused as refused:
        for one in refused.refusals:
            print(f"refused ({one['code']}): {one['detail']}")
        return 1
    except SignInFailed as error:
        print(error)
        return 1
    except AgonError as error:
        print(f"agon_client: {error}", file=sys.stderr)
        return 2
    except ConnectionError:
        nobody_reads()
        print("agon_client: nobody reads its lines; the same command goes on from here.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("agon_client: stopped; the same command goes on from here.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
