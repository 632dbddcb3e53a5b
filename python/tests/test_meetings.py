"""Meetings of heads that random matches hardly come to."""

import itertools
import unittest

from agon_env import SnakesBatch

# Four heads around one cell, [2, 2].
CROSSING = {
    "format": "snakes-board/1", "map_id": "crossing", "players": 4, "rows": 6, "cols": 6, "wrap": False, "walls": [],
    "spawns": [[1, 2], [2, 1], [2, 3], [3, 2]], "food": [], "min_food": 1, "food_chance": 0, "max_turns": 50,
}  # fmt: skip
TO_THE_MIDDLE = [2, 1, 3, 0]


class Meetings(unittest.TestCase):
    def test_of_four_heads_the_longest_stays_if_no_other_is_as_long(self):
        lengths = list(itertools.product((3, 4, 5, 6), repeat=4))
        batch = SnakesBatch(CROSSING, len(lengths))
        batch.length[:] = lengths
        batch.step([TO_THE_MIDDLE] * len(lengths))
        for row, living in zip(lengths, batch.living.tolist()):
            self.assertEqual(living, [length == max(row) and row.count(length) == 1 for length in row], row)

    def test_of_three_the_fourth_does_not_care(self):
        lengths = list(itertools.product((3, 4, 5), repeat=3))
        batch = SnakesBatch(CROSSING, len(lengths))
        batch.length[:, :3] = lengths
        batch.step([[*TO_THE_MIDDLE[:3], 2]] * len(lengths))
        for row, living in zip(lengths, batch.living.tolist()):
            self.assertEqual(living, [length == max(row) and row.count(length) == 1 for length in row] + [True], row)


if __name__ == "__main__":
    unittest.main()
