"""Readers of board files. Each names every fault by path and sentence, and those are the sentences of the service."""

import re
import sys
from decimal import Decimal

FAULTS_MAX = 100
CELLS_PER_PLAYER_MIN = 8
SLUG = re.compile(r"(?=.{1,64}\Z)[a-z0-9](?:-?[a-z0-9])*\Z")
SLUG_SAYS = "a slug of at most 64 characters (a-z, 0-9, single hyphens between)"
SNAKES_KEYS = "format map_id players rows cols wrap walls spawns food min_food food_chance max_turns".split()
OTHELLO_KEYS = "format map_id players rows cols blocked".split()
MISSING = object()


class Faults(list):
    def add(self, path, message):
        if len(self) < FAULTS_MAX:
            self.append((path, message))


class Members:
    """The members of a file. A missing one is told once, here; the readers below say nothing more about it."""

    def __init__(self, faults, file, keys):
        self.faults = faults
        self.of = file if isinstance(file, dict) else {}
        if not isinstance(file, dict):
            faults.add("", "must be an object")
            return
        for key in keys:
            if key not in file:
                faults.add(key, "is required")
        for key in file:
            if key not in keys:
                faults.add(key[:64], "is not a known key")

    def text(self, key, allowed, says):
        value = self.of.get(key, MISSING)
        if value is MISSING or (isinstance(value, str) and allowed(value)):
            return None if value is MISSING else value
        self.faults.add(key, f"must be {says}")

    def slug(self, key):
        return self.text(key, SLUG.match, SLUG_SAYS)

    def integer(self, key, least, most):
        value = self.of.get(key, MISSING)
        if value is MISSING:
            return None
        number = whole(value)
        if number is None:
            self.faults.add(key, "must be a whole number")
        elif not least <= number <= most:
            self.faults.add(key, f"must be from {least} to {most}, not {spelled(number)}")
        else:
            return number

    def boolean(self, key):
        value = self.of.get(key, MISSING)
        if isinstance(value, bool):
            return value
        if value is not MISSING:
            self.faults.add(key, "must be true or false")

    def cells(self, key, rows, cols):
        """Cell numbers in the file's order, -1 for a faulty one; None if there is no list."""
        value = self.of.get(key, MISSING)
        if value is MISSING:
            return None
        if not isinstance(value, (list, tuple)):
            return self.faults.add(key, "must be an array")
        if len(value) > rows * cols:
            return self.faults.add(key, f"must have at most {rows * cols} entries, not {len(value)}")
        seen = {}
        return [self._cell(f"{key}[{index}]", entry, rows, cols, seen, key, index) for index, entry in enumerate(value)]

    def _cell(self, at, entry, rows, cols, seen, key, index):
        pair = [whole(one) for one in entry] if isinstance(entry, (list, tuple)) and len(entry) == 2 else [None]
        if None in pair:
            self.faults.add(at, "must be a cell [row, col] of two whole numbers")
            return -1
        row, col = pair
        if not (0 <= row < rows and 0 <= col < cols):
            self.faults.add(at, f"lies off the board of {rows} rows and {cols} columns")
            return -1
        cell = row * cols + col
        first = seen.setdefault(cell, index)
        if first != index:
            self.faults.add(at, f"is the same cell as {key}[{first}]")
            return -1
        return cell


def whole(value):
    """An integer may be written 5.0; true is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    return int(value) if abs(value) <= sys.float_info.max else None


def spelled(number):
    """As the service spells it, whose numbers are 64-bit floats."""
    near = float(number)
    return str(int(Decimal(repr(near)))) if abs(near) < 1e21 else repr(near)


def neighbour(rows, cols, wrap, cell, move):
    """The cell one move away (0 up, 1 right, 2 down, 3 left), -1 off the edge of a board that does not wrap."""
    row, col = divmod(cell, cols)
    row += (-1, 0, 1, 0)[move]
    col += (0, 1, 0, -1)[move]
    if wrap:
        return row % rows * cols + col % cols
    return row * cols + col if 0 <= row < rows and 0 <= col < cols else -1


def check_snakes(file):
    """The board and its faults."""
    faults = Faults()
    members = Members(faults, file, SNAKES_KEYS)
    if not members.of:
        return None, faults or Faults([("", "must be an object")])
    members.text("format", lambda text: text == "snakes-board/1", '"snakes-board/1"')
    map_id = members.slug("map_id")
    players = members.integer("players", 2, 8)
    rows = members.integer("rows", 5, 25)
    cols = members.integer("cols", 5, 25)
    wrap = members.boolean("wrap")
    lists = None
    if rows is not None and cols is not None:
        lists = [members.cells(key, rows, cols) for key in ("walls", "spawns", "food")]
        if wrap is None or None in lists:
            lists = None
        else:
            _check_layout(faults, rows, cols, wrap, players, *lists)
    min_food = members.integer("min_food", 0, 25 * 25 if lists is None else rows * cols)
    food_chance = members.integer("food_chance", 0, 100)
    max_turns = members.integer("max_turns", 50, 1000)
    if min_food == 0 and food_chance == 0:
        faults.add("min_food", "must be at least 1 where food_chance is 0, or no food would ever appear")
    if faults or lists is None:
        return None, faults
    walls, spawns, food = ([list(divmod(cell, cols)) for cell in cells] for cells in lists)
    values = ("snakes-board/1", map_id, players, rows, cols, wrap, walls, spawns, food, min_food, food_chance, max_turns)
    return dict(zip(SNAKES_KEYS, values)), faults


def _check_layout(faults, rows, cols, wrap, players, walls, spawns, food):
    near = lambda cell: [there for there in (neighbour(rows, cols, wrap, cell, move) for move in range(4)) if there >= 0]
    is_wall = {cell for cell in walls if cell >= 0}
    spawn_at = {cell: seat for seat, cell in enumerate(spawns) if cell >= 0}
    if players is not None and len(spawns) != players:
        faults.add("spawns", f"must be one a player: {players}, not {len(spawns)}")
    for seat, cell in enumerate(spawns):
        if cell >= 0:
            _check_spawn(faults, near(cell), is_wall, spawn_at, cell, seat)
    for index, cell in enumerate(food):
        if cell in is_wall:
            faults.add(f"food[{index}]", "lies on a wall")
        if cell in spawn_at:
            faults.add(f"food[{index}]", f"lies on spawns[{spawn_at[cell]}]")
    is_open = rows * cols - len(is_wall)
    if players is not None and is_open < CELLS_PER_PLAYER_MIN * players:
        faults.add("walls", f"leave {is_open} cells open; {players} players need at least {CELLS_PER_PLAYER_MIN * players}")
    reached = [cell for cell in range(rows * cols) if cell not in is_wall][:1]
    seen = {*is_wall, *reached}
    for cell in reached:
        fresh = [there for there in dict.fromkeys(near(cell)) if there not in seen]
        seen.update(fresh)
        reached.extend(fresh)
    if len(reached) < is_open:
        faults.add("walls", f"cut the board apart: {is_open - len(reached)} open cells cannot be reached from the first")


def _check_spawn(faults, near, is_wall, spawn_at, cell, seat):
    at = f"spawns[{seat}]"
    if cell in is_wall:
        faults.add(at, "lies on a wall")
    for other in dict.fromkeys(spawn_at[there] for there in near if there in spawn_at):
        if other < seat:
            faults.add(at, f"is fewer than 2 steps from spawns[{other}]")
    if all(there in is_wall or there in spawn_at for there in near):
        faults.add(at, "has no neighbour that is neither wall nor spawn")


def check_othello(file):
    """The board and its faults."""
    faults = Faults()
    members = Members(faults, file, OTHELLO_KEYS)
    members.text("format", lambda text: text == "othello-board/1", '"othello-board/1"')
    map_id = members.slug("map_id")
    members.integer("players", 2, 2)
    rows, cols = (_side(members, key) for key in ("rows", "cols"))
    blocked = members.cells("blocked", rows, cols) if rows is not None and cols is not None else None
    if blocked is None:
        return None, faults
    for index, cell in enumerate(blocked):
        if cell in middle_of(rows, cols):
            faults.add(f"blocked[{index}]", "is one of the middle four, where the first discs lie")
    cells = [list(divmod(cell, cols)) for cell in blocked]
    return dict(zip(OTHELLO_KEYS, ("othello-board/1", map_id, 2, rows, cols, cells))), faults


def _side(members, key):
    side = members.integer(key, 4, 16)
    if side is not None and side % 2 == 1:
        return members.faults.add(key, f"must be even, not {side}")
    return side


def middle_of(rows, cols):
    """The middle four cells: upper left, upper right, lower left, lower right."""
    first = (rows // 2 - 1) * cols + cols // 2 - 1
    return (first, first + 1, first + cols, first + cols + 1)
