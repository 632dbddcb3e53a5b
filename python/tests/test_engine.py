"""Boards, states and observations are those of the engine, match by match and turn by turn."""

import hashlib
import os
import unittest

import numpy as np

from agon_env import BOARDS, BoardRefused, OthelloBatch, SnakesBatch, canonical_sha256, check_board
from agon_env import othello, snakes

from .engine import MISSING, reference

MATCHES = int(os.environ.get("AGON_ENV_MATCHES", "1000"))


@unittest.skipIf(MISSING, MISSING)
class SameAsTheEngine(unittest.TestCase):
    def test_boards_and_matches(self):
        seen = set()
        with reference(MATCHES) as lines:
            self.check_boards(next(lines))
            for group in lines:
                matches = [next(lines) for _ in range(group["matches"])]
                play = {"snakes": self.play_snakes, "othello": self.play_othello}[group["game"]]
                for match in matches:
                    seen.add(match["result"]["reason"])
                    self.turns += len(match["choices"])
                    self.matches[group["game"]] += 1
                if matches:
                    play(group, matches)
        self.assertEqual(self.matches, {"snakes": MATCHES, "othello": MATCHES})
        if MATCHES >= 1000:  # fewer need not have every ending
            self.assertLessEqual({"forfeit", "last_standing", "all_out", "turn_limit", "no_moves"}, seen)
        print(f"{MATCHES} matches of each game, {self.turns} turns")

    def setUp(self):
        self.turns, self.matches = 0, {"snakes": 0, "othello": 0}

    def check_boards(self, told):
        self.assertEqual([board for boards in told["own"] for board in boards], list(BOARDS.values()))
        for case in told["boards"]:
            try:
                self.assertEqual(check_board(case["game"], case["board"]), case["board"])
                faults = []
            except BoardRefused as refused:
                faults = [list(fault) for fault in refused.faults]
            self.assertEqual(faults, case["faults"], case["board"])

    def play_snakes(self, group, matches):
        batch = SnakesBatch(group["board"], len(matches), **group["rules"])
        batch.reset([match["seed"] for match in matches])

        def shown(board):
            return batch.observations[board, batch.living[board]]

        actions = np.zeros((len(matches), batch.seats), np.int64)
        self.play(batch, actions, matches, shown, snakes.REASONS)

    def play_othello(self, group, matches):
        batch = OthelloBatch(group["board"], len(matches), **group["rules"])
        batch.reset([match["seed"] for match in matches])
        planes = {}

        def shown(board):
            if planes.get("turn") != batch.turn.max():
                planes.update(turn=batch.turn.max(), of=batch.observe())
            return planes["of"][board]

        actions = np.zeros(len(matches), np.int64)
        self.play(batch, actions, matches, shown, othello.REASONS)

    def play(self, batch, actions, matches, shown, reasons):
        for turn in range(max(len(match["choices"]) for match in matches) + 1):
            for board, match in enumerate(matches):
                if turn > len(match["choices"]):
                    continue
                where = f"{batch.board['map_id']}, seed {match['seed']}, turn {turn}"
                self.assertEqual(canonical_sha256(batch.canonical(board)), match["states"][turn], where)
                self.assertEqual(batch.over[board], turn == len(match["choices"]), where)
                if turn == len(match["choices"]):
                    self.check_result(batch, board, match["result"], reasons)
                    continue
                self.assertEqual(hashlib.sha256(shown(board).tobytes()).hexdigest(), match["planes"][turn], where)
                row = match["choices"][turn]
                actions[board] = row if actions.ndim == 2 else row[batch.to_act[board]]
            if not batch.over.all():
                batch.step(actions)

    def check_result(self, batch, board, result, reasons):
        told = {
            "reason": reasons[batch.reason[board]],
            "turns": batch.turn[board],
            "scores": batch.scores()[board].tolist(),
            "ranks": batch.ranks()[board].tolist(),
            "strikes": batch.strikes[board].tolist(),
        }
        self.assertEqual(told, result)


if __name__ == "__main__":
    unittest.main()
