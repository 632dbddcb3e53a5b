import { assert, describe, it } from "@effect/vitest"
import { best, infer, loadPlayer, type Player } from "../testing/Lockstep.ts"
import { type Drawing, draw } from "../testing/position.ts"
import { zoo } from "../zoo.ts"

const [up, right, down, left] = [0, 1, 2, 3]
const names = ["up", "right", "down", "left"]

const players = new Map<string, Promise<Player>>()
const player = (name: string): Promise<Player> => {
  const known = players.get(name) ?? loadPlayer(zoo.find((entry) => entry.name === name)!.build())
  players.set(name, known)
  return known
}

const move = async (name: string, { obs, rows, cols }: Drawing, flat = new Float32Array(4), cell = new Float32Array(rows * cols)) =>
  best(await infer(await player(name), obs, [1, 12, rows, cols], flat, cell), new Uint8Array([1, 1, 1, 1]))

const all = zoo.filter((entry) => entry.game === "snakes").map((entry) => entry.name)
const cautious = all.filter((name) => name !== "straight-on" && name !== "careless")

describe("snakes models", () => {
  it("straight-on walks on, into a wall too, and up when it has not moved yet", async () => {
    assert.strictEqual(await move("straight-on", draw(["......", "..abH.", ".dc...", "......", "......"])), right)
    assert.strictEqual(await move("straight-on", draw([".....", "..ba.", "...H#", ".....", "....."])), down)
    assert.strictEqual(await move("straight-on", draw([".....", ".....", "..H..", ".....", "....."])), up)
  })

  it("all others but the careless one take the only safe move, whatever it costs", async () => {
    for (const name of cautious) {
      const chosen = await move(name, draw(["###..", "#H#..", "#.#..", "*....", "....."]))
      assert.strictEqual(names[chosen], "down", name)
    }
  })

  it("a tail that is about to leave is a safe cell", async () => {
    for (const name of cautious)
      assert.strictEqual(names[await move(name, draw(["Ha#..", "cb#..", "###..", ".....", "....."]))], "down", name)
  })

  it("they cross the edge of a wrapped board if it is the only way, and never another edge", async () => {
    const sideways = ["H#...", "##...", ".....", ".....", "#...."]
    for (const name of cautious) assert.strictEqual(names[await move(name, draw(sideways, { wrap: true }))], "left", name)
  })

  it("nibbler and sniffer go for food beside them", async () => {
    for (const name of ["wanderer", "nibbler", "sniffer", "wary", "settler", "sovereign"]) {
      const drawing = draw([".......", ".......", ".......", "..cbaH*", ".......", ".......", "......."])
      assert.strictEqual(names[await move(name, drawing)], "right", name)
    }
  })

  it("sniffer finds the path around a wall that stops nibbler", async () => {
    const drawing = draw([".......", ".####..", ".#.....", ".#.H#*.", ".#..#..", ".####..", "......."])
    assert.strictEqual(names[await move("sniffer", drawing)], "up")
    const behind = draw([".......", "..####.", ".....#.", "..H..#*", ".....#.", "..####.", "......."])
    assert.strictEqual(names[await move("nibbler", behind)], "right")
    assert.strictEqual(names[await move("sniffer", behind)], "left")
  })

  it("wary keeps off a cell that a longer rival can reach, sniffer does not", async () => {
    const drawing = draw([".......", ".......", ".......", "..baH*1", "......2", "....543", "......."])
    assert.strictEqual(names[await move("sniffer", drawing)], "right")
    assert.notStrictEqual(names[await move("wary", drawing)], "right")
    const shorter = draw([".......", ".......", ".......", "..baH*1", "......2", ".......", "......."])
    assert.strictEqual(names[await move("wary", shorter)], "right")
  })

  it("settler leaves food in a pocket too small for it, wary does not", async () => {
    const pocket = draw([".......", "ihgfe..", "j...d..", "k...c..", "lmn.b..", "###.a..", "#*..H..", "#####.."])
    assert.strictEqual(names[await move("wary", pocket)], "left")
    assert.strictEqual(names[await move("settler", pocket)], "right")
  })

  it("sovereign goes where no rival arrives before it, settler to the side where the food is", async () => {
    const drawing = draw(["....#...1...", "....#...23..", ".....H...4*.", "....#a...5..", "....#b...67.", "....#cde..89"])
    assert.strictEqual(names[await move("settler", drawing)], "right")
    assert.strictEqual(names[await move("sovereign", drawing)], "left")
  })

  it("wanderer turns away from its trail and remembers its last move", async () => {
    const flat = new Float32Array(4)
    const cell = new Float32Array(49)
    const drawing = draw([".......", ".......", ".......", "...H...", ".......", ".......", "......."])
    cell[2 * 7 + 3] = 0.9
    assert.notStrictEqual(await move("wanderer", drawing, flat, cell), up)
    assert.strictEqual(cell[3 * 7 + 3], 1)
    assert.closeTo(cell[2 * 7 + 3]!, (0.9 * 31) / 32, 1e-6)
    assert.deepStrictEqual(
      Array.from(flat).reduce((a, b) => a + b),
      1
    )
  })

  it("random-safe walks another way when only its health has changed", async () => {
    const chosen = new Set<number>()
    const lines = [".......", ".......", ".......", "...H...", ".......", ".......", "......."]
    for (let health = 100; health > 60; health--) chosen.add(await move("random-safe", draw(lines, { health })))
    assert.deepStrictEqual([...chosen].sort(), [up, right, down, left])
  })
})
