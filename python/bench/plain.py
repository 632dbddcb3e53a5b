"""Snakes in plain Python, one board at a time, as somebody ports it in an afternoon: the measure for the kernels."""

import copy

import numpy as np

MASK = 0xFFFFFFFF


class PlainSnakes:
    """Bodies are lists of cells, head first. Strikes are left out: the bench has none."""

    def __init__(self, board, seed):
        self.rows, self.cols, self.wrap = board["rows"], board["cols"], board["wrap"]
        self.board, self.rng, self.turn, self.over = board, seed, 0, False
        self.walls = {tuple(cell) for cell in board["walls"]}
        self.food = {tuple(cell) for cell in board["food"]}
        self.bodies = [[tuple(cell)] * 3 for cell in board["spawns"]]
        self.health = [100] * len(self.bodies)
        self.lengths = [3] * len(self.bodies)
        self.living = list(range(len(self.bodies)))

    def next(self):
        self.rng = a = (self.rng + 0x6D2B79F5) & MASK
        t = (a ^ (a >> 15)) * (a | 1) & MASK
        t ^= t + ((t ^ (t >> 7)) * (t | 61) & MASK) & MASK
        return t ^ (t >> 14)

    def below(self, n):
        x = self.next()
        while x >= (1 << 32) - (1 << 32) % n:
            x = self.next()
        return x % n

    def ahead(self, cell, move):
        row, col = cell[0] + (-1, 0, 1, 0)[move], cell[1] + (0, 1, 0, -1)[move]
        return (row % self.rows, col % self.cols) if self.wrap else (row, col)

    def shut(self, cell):
        return cell in self.walls or not (0 <= cell[0] < self.rows and 0 <= cell[1] < self.cols)

    def step(self, actions):
        for seat in self.living:
            self.bodies[seat].insert(0, self.ahead(self.bodies[seat][0], actions[seat]))
            self.bodies[seat].pop()
            self.health[seat] -= 1
        eaten = set()
        for seat in self.living:
            body = self.bodies[seat]
            if body[0] in self.food:
                eaten.add(body[0])
                self.health[seat] = 100
                body.append(body[-1])
                self.lengths[seat] = len(body)
        self.food -= eaten
        self.leave([seat for seat in self.living if self.health[seat] == 0 or self.shut(self.bodies[seat][0])])
        self.leave([seat for seat in self.living if self.collides(seat)])
        self.spawn()
        self.turn += 1
        self.over = len(self.living) <= 1 or self.turn >= self.board["max_turns"]

    def leave(self, seats):
        for seat in seats:
            self.living.remove(seat)
            self.bodies[seat] = [self.bodies[seat][0]]

    def collides(self, seat):
        head = self.bodies[seat][0]
        for other in self.living:
            body = self.bodies[other]
            if head in body[1:] or (other != seat and head == body[0] and len(body) >= len(self.bodies[seat])):
                return True
        return False

    def spawn(self):
        short = len(self.food) < self.board["min_food"]
        if not short and (self.board["food_chance"] == 0 or self.below(100) >= self.board["food_chance"]):
            return
        held = {cell for seat in self.living for cell in self.bodies[seat]} | self.walls | self.food
        free = [(row, col) for row in range(self.rows) for col in range(self.cols) if (row, col) not in held]
        if free:
            self.food.add(free[self.below(len(free))])

    def observe(self, seat):
        """float32 [12, rows, cols]."""
        planes = np.zeros((12, self.rows, self.cols), np.float32)
        planes[7] = self.health[seat] / 100
        for cell in self.food:
            planes[5][cell] = 1
        for cell in self.walls:
            planes[6][cell] = 1
        stays = set()
        for other in self.living:
            body = self.bodies[other]
            planes[0 if other == seat else 2][body[0]] = 1
            if other != seat and len(body) >= self.lengths[seat]:
                planes[3][body[0]] = 1
            for back in range(len(body) - 1, -1, -1):
                planes[1 if other == seat else 4][body[back]] = (len(body) - back) / 64
            stays.update(body if len(body) > 1 and body[-1] == body[-2] else body[:-1])
        for move in range(4):
            cell = self.ahead(self.bodies[seat][0], move)
            if seat in self.living and cell not in stays and not self.shut(cell):
                planes[8 + move] = 1
        return planes


class Struct(dict):
    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)


class ObjectSnakes:
    """The same rules as a list of objects for each step, which agents get copies of and which is kept: the style of
    kaggle_environments. Agents make planes of them themselves."""

    def __init__(self, board, seed):
        self.rules = PlainSnakes(board, seed)
        self.steps = [self.state()]

    def state(self):
        rules = self.rules
        return [
            Struct(
                action=0,
                reward=rules.lengths[seat],
                status="ACTIVE" if seat in rules.living else "DONE",
                info=Struct(),
                observation=Struct(
                    index=seat,
                    step=rules.turn,
                    food=[list(cell) for cell in sorted(rules.food)],
                    snakes=[[list(cell) for cell in body] for body in rules.bodies],
                    health=list(rules.health),
                ),
            )
            for seat in range(len(rules.bodies))
        ]

    @property
    def over(self):
        return self.rules.over

    def step(self, actions):
        state = copy.deepcopy(self.steps[-1])
        for agent, action in zip(state, actions):
            agent["action"] = action
        self.rules.step([agent.action for agent in state])
        self.steps.append(self.state())
        return copy.deepcopy(self.steps[-1])
