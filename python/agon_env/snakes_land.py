"""A board of snakes prepared for play: tables that all of its matches share."""

import numpy as np

from .checking import neighbour

PLANES = 12


class Land:
    def __init__(self, board):
        rows, cols, seats = board["rows"], board["cols"], board["players"]
        self.cells = cells = rows * cols
        number = lambda pair: pair[0] * cols + pair[1]
        steps = np.array([[neighbour(rows, cols, board["wrap"], cell, move) for move in range(4)] for cell in range(cells)])
        # The cell after the last stands for off the board, and is a wall that nobody leaves.
        self.next = np.append(np.where(steps < 0, cells, steps), [[cells] * 4], axis=0).reshape(-1)
        self.wall = np.zeros(cells + 1, bool)
        self.wall[[number(pair) for pair in board["walls"]] + [cells]] = True
        self.open = ~self.wall[:-1]
        # Beside each cell, and whether a head may go there as far as walls and edges are concerned.
        self.way = ~self.wall[np.where(steps < 0, cells, steps)]
        self.beside = np.maximum(steps, 0)
        self.spawns = np.array([number(pair) for pair in board["spawns"]])
        self.pairs = np.triu_indices(seats, 1)
        self.others = np.array([[other for other in range(seats) if other != seat] for seat in range(seats)])
        self.rival_spawns = self.spawns[self.others]
        # health / 100 as a match rounds it: in double precision, then to float32.
        self.share = (np.arange(101) / 100).astype(np.float32)
        self._start(board, [number(pair) for pair in board["food"]])

    def _start(self, board, food):
        self.food_count = len(food)
        self.start_food = np.zeros(self.cells + 1, bool)
        self.start_food[food] = True
        self.start_held = np.zeros(self.cells, np.float32)
        self.start_held[self.spawns] = 3 / 64
        self.start = np.zeros((board["players"], PLANES, self.cells), np.float32)
        for seat, cell in enumerate(self.spawns):
            planes, rivals = self.start[seat], self.rival_spawns[seat]
            planes[0, cell] = 1
            planes[1, cell] = 3 / 64
            planes[2, rivals] = planes[3, rivals] = 1
            planes[4, rivals] = 3 / 64
            planes[5, food] = 1
            planes[6] = self.wall[:-1]
            planes[7] = 1
            free = self.way[cell] & (self.start_held[self.beside[cell]] == 0)
            planes[8:] = free[:, None]
