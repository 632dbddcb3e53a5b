/**
 * The pictures as they were when somebody looked at them last: each board, positions in the middle of matches, and replays as the player
 * draws them. A picture stands in the snapshot as its parts, a line for each class of element with its number and a hash, so that a
 * difference says which part it is in. It is the SVG that is compared and no pixels, which differ between machines; styles are not seen by
 * this. `vitest run -u` in this folder writes them anew: look at them before you commit that.
 */
import { hash } from "node:crypto"
import { othelloBoards } from "@agon/engine/othello/boards.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { readReplay } from "@agon/engine/replay/readReplay.ts"
import { record } from "@agon/engine/replay/testing/recorded.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { assert, expect, it } from "vitest"
import { frame } from "../../islands/replay/frame.ts"
import { Playback } from "../../islands/replay/Playback.ts"
import { boardPicture, positionPicture } from "./boardPicture.ts"
import { positions } from "./testing/randomMatch.ts"

const POSITIONS = 20
/** Random players die early: the longest of so many matches is taken. */
const TRIES = 12

/** `path.wall x1 0123abcd`, in the order in which they are drawn. */
const partsOf = (svg: string): ReadonlyArray<string> => {
  const parts = new Map<string, Array<string>>()
  for (const [element, name, attributes, text] of svg.matchAll(/<([a-z]+)((?: [a-zA-Z-]+="[^"]*")*)\/?>([^<]*)/g)) {
    const part = `${name}${(/ class="([^"]*)"/.exec(attributes!)?.[1] ?? "").replace(/^(?=.)| /g, ".")}`
    const known = parts.get(part) ?? []
    parts.set(part, [...known, name === "title" || name === "desc" ? text! : element])
  }
  return [...parts].map(([part, elements]) =>
    part === "title"
      ? `${part} ${elements.join()}`
      : `${part} x${elements.length} ${hash("sha256", elements.join("\n"), "hex").slice(0, 8)}`
  )
}

const shown = (pictures: ReadonlyArray<readonly [string, string]>) =>
  `${pictures.map(([name, svg]) => [`${name} ${hash("sha256", svg, "hex").slice(0, 16)}`, ...partsOf(svg).map((line) => `  ${line}`)].join("\n")).join("\n\n")}\n`

const middleOf = (boards: ReadonlyArray<(typeof snakesBoards)[number] | (typeof othelloBoards)[number]>) =>
  Array.from({ length: POSITIONS }, (_, i) => {
    const board = boards[i % boards.length]!
    const matches = Array.from({ length: TRIES }, (_, n) => positions(board, i * TRIES + n))
    const longest = matches.toSorted((a, b) => b.length - a.length)[0]!
    return [`${board.map_id}, position ${i}`, positionPicture(longest[longest.length >> 1])] as const
  })

it("every board looks as it did", async () => {
  const boards = [...snakesBoards, ...othelloBoards]
  assert.isAbove(boards.length, 10)
  await expect(shown(boards.map((board) => [board.map_id, boardPicture(board)]))).toMatchFileSnapshot("boards.snapshot.txt")
})

it("positions in the middle of matches of both games look as they did", async () => {
  await expect(shown(middleOf(snakesBoards))).toMatchFileSnapshot("snakes.snapshot.txt")
  await expect(shown(middleOf(othelloBoards))).toMatchFileSnapshot("othello.snapshot.txt")
})

/** Of a replay as it is stored: after the first turn, in the middle and at the end. */
const framesOf = (board: (typeof snakesBoards)[number] | (typeof othelloBoards)[number], i: number) => {
  const engine = engineOf(board.format.slice(0, board.format.indexOf("-")))!
  const stored = readReplay(JSON.parse(JSON.stringify(record(engine, board, 1_000 * i + 11).replay)))
  if (!stored.ok) throw new Error(JSON.stringify(stored.problems))
  const { replay } = stored
  const playback = new Playback(replay, engine)
  assert.strictEqual(playback.turns, replay.turns)
  const names = Array.from({ length: board.players }, (_, seat) => `Model ${seat}`)
  return [1, replay.turns >> 1, replay.turns].map((turn) => [`${board.map_id}, turn ${turn}`, frame(playback, turn, names)] as const)
}

/** The signs of a seat's head or disc where colours are not seen: its outline and its mark. */
const outlines = (svg: string): ReadonlyMap<string, string> =>
  new Map(
    [...svg.matchAll(/<g class="([sd]\d)">(<(?:circle|polygon) class="(?:head|disc)"[^>]*>(?:<circle class="mark"[^>]*>)?)/g)].map(
      ([, seat, shapes]) => [seat!, shapes!.replaceAll(/ (?:cx|cy|transform|class)="[^"]*"/g, "")]
    )
  )

it("replays of every board look as they did, and their seats differ in shape", async () => {
  const frames = [...snakesBoards, ...othelloBoards].flatMap(framesOf)
  let seats = 0
  for (const [name, svg] of frames) {
    const shapes = outlines(svg)
    assert.strictEqual(new Set(shapes.values()).size, shapes.size, name)
    seats = Math.max(seats, shapes.size)
  }
  assert.isAbove(seats, 4)
  await expect(shown(frames)).toMatchFileSnapshot("replays.snapshot.txt")
})
