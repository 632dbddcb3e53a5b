"""Trains a snakes policy from nothing, exports it, has it examined, plays it against the zoo and submits it.

    PYTHONPATH=python /usr/bin/python3 examples/train/train.py [--minutes 2] [--out FOLDER] [--submit MODEL]

Two processes play and learn, each on one core and one thread; they add their gradients up after every step and so hold the same
weights. The same seed gives the same policy on machines with the same BLAS, if --stages says how long rather than --minutes.
"""

import os

# Before numpy is loaded: a process is one thread.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_variable] = "1"

import argparse
import multiprocessing
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(ROOT / "python")]

from onnx_file import export  # noqa: E402
from policy import fresh_weights  # noqa: E402
from ppo import Field, Learner  # noqa: E402

PROCESSES = 2
# The boards to learn on, and how many of each a process plays at once.
FIELDS = {"open-7": 96, "walled-9": 48, "open-11": 48}


class Exchange:
    """Adds a vector of each process up, in the same order in both."""

    def __init__(self, pipe, rank):
        self.pipe, self.rank = pipe, rank

    def __call__(self, own, combine=np.add):
        if self.pipe is None:
            return own
        if self.rank == 0:
            self.pipe.send_bytes(own.tobytes())
            other = np.frombuffer(self.pipe.recv_bytes(), own.dtype)
            return combine(own, other)
        other = np.frombuffer(self.pipe.recv_bytes(), own.dtype)
        self.pipe.send_bytes(own.tobytes())
        return combine(other, own)


def learn(rank, pipe, given):
    """One process. The first of them writes and reports, and says when it is time to stop."""
    random = np.random.default_rng([given.seed, rank])
    exchange = Exchange(pipe, rank)
    fields = [Field(board, max(2, int(count * given.scale)), random) for board, count in FIELDS.items()]
    learner = Learner(fresh_weights(given.seed), fields, random, exchange)
    began, written = time.process_time(), 0
    if rank == 0:
        export(learner.weights, given.out / "stage-0")
    stage, progress = 0, 0.0
    while progress < 1:
        lasted = learner.stage(progress)
        stage += 1
        passed = stage / given.stages if given.stages else (time.process_time() - began) / (60 * given.minutes)
        progress = float(exchange(np.array([passed if rank == 0 else 0.0]))[0])
        if rank == 0 and progress * given.checkpoints >= written + 1:
            written += 1
            export(learner.weights, given.out / f"stage-{stage}")
            seconds = time.process_time() - began
            print(f"stage {stage}, {seconds:.0f} s, {learner.samples:,} moves, matches last {lasted:.0f} turns", flush=True)
    if rank == 0:
        export(learner.weights, given.out / "trained")


def train(given):
    given.out.mkdir(parents=True, exist_ok=True)
    if given.processes == 1:
        return learn(0, None, given)
    ours, theirs = multiprocessing.Pipe()
    partner = multiprocessing.get_context("fork").Process(target=learn, args=(1, theirs, given), daemon=True)
    partner.start()
    theirs.close()
    learn(0, ours, given)
    partner.join()


def node(*arguments):
    """Runs a program of the checkout; its Node is the one that scripts/install puts there."""
    program = os.environ.get("AGON_NODE") or shutil.which("node", path=f"{ROOT}/node_modules/.bin{os.pathsep}{os.environ['PATH']}")
    status = subprocess.run([program or "node", *map(str, arguments)], cwd=ROOT).returncode
    if status != 0:
        sys.exit(status)


def minutes(text):
    """How long to train, as an argument."""
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError("takes more than 0")
    return value


def matches(text):
    """How many matches gauntlet.ts plays, as an argument: known to be refused before the training rather than behind it."""
    value = int(text)
    if value < 0 or value % 4 != 0:
        raise argparse.ArgumentTypeError("takes 0 or a multiple of 4: two boards, each seed once from either seat")
    return value


def main():
    options = argparse.ArgumentParser(description="Trains a snakes policy from nothing.")
    options.add_argument("--out", type=lambda path: Path(path).resolve(), default=Path("trained").resolve())
    options.add_argument("--minutes", type=minutes, default=2, help="how long to train, in processor time of a process (default: 2)")
    options.add_argument("--stages", type=int, default=0, help="train for so many stages instead")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--processes", type=int, choices=(1, PROCESSES), default=PROCESSES)
    options.add_argument("--scale", type=float, default=1.0, help="boards played at once, as a share of the usual number")
    options.add_argument("--checkpoints", type=int, default=8, help="how many policies to keep on the way, for the learning curve")
    options.add_argument("--matches", type=matches, default=200, help="matches against each model of the zoo; 0 for none")
    options.add_argument("--submit", metavar="MODEL", help="submit it as a version of your model of this name (after agon login)")
    given = options.parse_args()
    train(given)
    trained = given.out / "trained"
    node("packages/cli/src/main.ts", "examine", f"{trained}.onnx", f"{trained}.json", "--game", "snakes")
    if given.matches > 0:
        node("examples/train/gauntlet.ts", "--matches", given.matches, f"{trained}.onnx")
    if given.submit is not None:
        node("packages/cli/src/main.ts", "submit", f"{trained}.onnx", "--game", "snakes", "--model", given.submit)


if __name__ == "__main__":
    main()
