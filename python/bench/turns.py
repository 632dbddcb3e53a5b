"""Turns of snakes a second of one core's CPU time, 11x11 with 4 seats, every seat's planes made in every turn.

    cd python && /usr/bin/python3 -m bench.turns [ROUNDS]

A turn is one board stepping once. Everybody plays a move at random among those that meet nothing, and a board whose match is over
starts again with another seed; choosing moves is not counted, starting again is. The peers are compared with the kernels first. All
cases take turns for half a second each, so that what else goes on hits all of them.
"""

import gc
import os
import subprocess
import sys
import time

import numpy as np

from agon_env import BOARDS, SnakesBatch
from tests.engine import NODE, ROOT

from .plain import ObjectSnakes, PlainSnakes

BOARD = BOARDS["open-11"]
SEATS, CELLS = 4, 121
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
SECONDS = 0.5
PIPE = ROOT / "test/bench/play/enginePipe.ts"


def lanes_of(planes):
    return planes[..., 8:, 0, 0]


class Chooser:
    """Random moves, drawn beforehand."""

    def __init__(self, boards):
        self.random = np.random.default_rng(7).random((64, boards, SEATS, 4), np.float32)
        self.turn = 0

    def choose(self, planes):
        self.turn += 1
        return (lanes_of(planes) * self.random[self.turn % 64]).argmax(-1)


def kernels(boards):
    batch, chooser, seed = SnakesBatch(BOARD, boards), Chooser(boards), boards
    batch.reset(np.arange(boards))
    spent = turns = 0
    while spent < SECONDS:
        actions = chooser.choose(batch.observations)
        began = time.process_time()
        over = np.flatnonzero(batch.step(actions))
        batch.reset(np.arange(seed, seed + len(over)), over)
        spent += time.process_time() - began
        turns, seed = turns + boards, seed + len(over)
    return turns / spent


def single(make, step, observe):
    match, chooser, seed, spent, turns = make(BOARD, 0), Chooser(1), 1, 0, 0
    planes = observe(match)
    while spent < SECONDS:
        actions = chooser.choose(planes[None])[0].tolist()
        began = time.process_time()
        step(match, actions)
        if match.over:
            match, seed = make(BOARD, seed), seed + 1
        planes = observe(match)
        spent += time.process_time() - began
        turns += 1
    return turns / spent


def all_planes(match):
    return np.stack([match.observe(seat) for seat in range(SEATS)])


def plain():
    return single(PlainSnakes, lambda match, actions: match.step(actions), all_planes)


def objects():
    return single(ObjectSnakes, lambda match, actions: match.step(actions), lambda match: all_planes(match.rules))


def piped(boards):
    """The engine in a Node of its own, in batches over a pipe. Its processor time counts as well: it is one core's worth of both."""
    chooser = Chooser(boards)
    planes = np.zeros((boards, SEATS, 12, 11, 11), np.float32)
    bytes_in = memoryview(planes).cast("B")
    before = os.times()
    with subprocess.Popen([NODE, str(PIPE), str(boards)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, bufsize=0) as engine:
        began, spent, turns = time.monotonic(), 0, 0
        while time.monotonic() - began < 3 * SECONDS:
            started = time.process_time()
            got = 0
            while got < len(bytes_in):
                got += engine.stdout.readinto(bytes_in[got:])
            spent += time.process_time() - started
            actions = chooser.choose(planes).astype(np.uint8)
            started = time.process_time()
            engine.stdin.write(actions.tobytes())
            spent += time.process_time() - started
            turns += boards
        engine.stdin.close()
        while engine.stdout.read(1 << 20):
            pass
    after = os.times()
    theirs = after.children_user + after.children_system - before.children_user - before.children_system
    return turns / (spent + theirs)


def compare(matches=20):
    """The plain port and the kernels show the same planes in every turn."""
    batch, chooser = SnakesBatch(BOARD, matches), Chooser(matches)
    batch.reset(np.arange(matches))
    ports = [PlainSnakes(BOARD, seed) for seed in range(matches)]
    while not batch.over.all():
        for board, port in enumerate(ports):
            for seat in port.living:
                np.testing.assert_array_equal(batch.observations[board, seat], port.observe(seat))
        actions = chooser.choose(batch.observations)
        for port, row in zip(ports, actions.tolist()):
            if not port.over:
                port.step(row)
        batch.step(actions)
        assert [port.over for port in ports] == batch.over.tolist()


def main():
    compare()
    gc.disable()
    cases = (
        *((f"kernels, {boards} boards", lambda boards=boards: kernels(boards)) for boards in (1, 64, 128, 256, 512, 1024, 4096)),
        *((f"engine over a pipe, {boards} boards", lambda boards=boards: piped(boards)) for boards in ((64, 256) if NODE else ())),
        ("plain Python", plain),
        ("objects for each step", objects),
    )
    told = {name: [] for name, _ in cases}
    for _ in range(ROUNDS):
        for name, run in cases:
            told[name].append(run())
    for name, figures in told.items():
        print(f"{name:32s} median {np.median(figures):10,.0f}, best {max(figures):10,.0f} turns/s")


if __name__ == "__main__":
    main()
