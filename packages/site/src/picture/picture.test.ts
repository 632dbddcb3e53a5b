import { othelloBoards } from "@agon/engine/othello/boards.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { assert, describe, it } from "vitest"
import { boardPicture, positionPicture } from "./boardPicture.ts"
import { describe as inWords, textBoard } from "./describe.ts"
import { readPosition } from "./Position.ts"
import { seatBadge } from "./seats.ts"
import { GROUND_COLOURS, pictureStyles, SEAT_COLOURS } from "./styles.ts"
import { positions } from "./testing/randomMatch.ts"

const boards = [...snakesBoards, ...othelloBoards]

/** Elements that open and close properly, with attributes that a strict policy allows, and text that is escaped. */
const assertSafe = (svg: string) => {
  const open: Array<string> = []
  for (const [, close, name, attributes, self] of svg.matchAll(/<(\/?)([a-z]+)((?: [a-zA-Z-]+="[^"<>]*")*)(\/?)>/g)) {
    if (close === "/") assert.strictEqual(open.pop(), name)
    else if (self === "") open.push(name!)
    assert.include(["svg", "title", "desc", "g", "rect", "path", "circle", "polygon", "text"], name)
    assert.notMatch(attributes!, / (style|on[a-z]+|href)=/)
  }
  assert.deepStrictEqual(open, [])
  assert.notMatch(svg.replace(/<(\/?)([a-z]+)((?: [a-zA-Z-]+="[^"<>]*")*)(\/?)>/g, ""), /[<>]/)
}

const HOSTILE = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `</title></svg><svg onload=alert(1)>`,
  "\u202eevil\u0000\u0007",
  "🐍".repeat(10_000),
  "&amp;'",
  "\ud83d"
]

describe("pictures of boards and positions", () => {
  it("show every board and every position of matches, in pieces that a strict policy allows", () => {
    for (const [seed, board] of boards.entries()) {
      assertSafe(boardPicture(board))
      assert.include(boardPicture(board), `<title>Board ${board.map_id}</title>`)
      for (const view of positions(board, seed)) {
        const svg = positionPicture(view)
        assertSafe(svg)
        assert.notInclude(svg, "cannot be shown")
        assert.include(svg, 'role="img"')
        assert.notMatch(svg, /NaN|undefined/)
      }
    }
  })

  it("escape and shorten whatever comes from outside", () => {
    const view = positions(snakesBoards[0]!, 1)[0]
    for (const text of HOSTILE) {
      const svg = positionPicture(view, { title: text, names: [text, text] })
      assertSafe(svg)
      assert.isBelow(svg.length, 10_000)
      assert.notMatch(svg, /[\p{Cc}\p{Cs}\u202a-\u202e\u2066\u2067]/u)
    }
  })

  it("say so in a picture where something is neither board nor position, however large or deep", () => {
    let deep: unknown = []
    for (let depth = 0; depth < 10_000; depth++) deep = [deep]
    const view = positions(snakesBoards[0]!, 1)[0] as Record<string, unknown>
    const others = [undefined, null, 1, "x", [], {}, deep, { format: "snakes-board/1" }, { format: "snakes-view/1", rows: 1e9, cols: 1e9 }]
    const broken = Object.keys(view).flatMap((key) => [deep, "<b>", -1, 1e9, [null], [{}]].map((value) => ({ ...view, [key]: value })))
    for (const value of [...others, ...broken]) {
      for (const svg of [positionPicture(value), boardPicture(value)]) {
        assertSafe(svg)
        assert.isBelow(svg.length, 10_000)
      }
    }
    for (const value of others) assert.include(positionPicture(value), "This position cannot be shown.")
    assert.include(positionPicture({ ...view, rows: "7" }), "This position cannot be shown.")
    assert.include(boardPicture(deep), "This board cannot be shown.")
  })

  it("draw marks on the board and no others", () => {
    const view = positions(snakesBoards[0]!, 1)[0]
    const marks = [3, -1, 49, 1.5, Number.NaN].map((cell) => ({ cell, seat: 1, kind: "out" as const }))
    assert.lengthOf(positionPicture(view, { marks }).match(/class="out s1"/g)!, 1)
    assert.notInclude(positionPicture(view, { marks: [{ cell: 3, seat: 8, kind: "last" }] }), "last")
  })

  it("tell seats apart by shape as well as by colour", () => {
    const shapes = Array.from({ length: 8 }, (_, seat) => seatBadge("snakes", seat).replaceAll(/class="s\d"|<text.*<\/text>/g, ""))
    assert.strictEqual(new Set(shapes).size, 8)
    assert.notStrictEqual(seatBadge("othello", 0).replaceAll("d0", ""), seatBadge("othello", 1).replaceAll("d1", ""))
    for (const seat of [-1, 8, 1.5, Number.NaN]) assertSafe(seatBadge("snakes", seat))
  })

  it("have colours of three times the contrast to the ground, in both schemes", () => {
    for (const colours of SEAT_COLOURS)
      for (const scheme of [0, 1] as const) assert.isAbove(contrast(colours[scheme], GROUND_COLOURS[scheme]), 3)
    assert.notMatch(pictureStyles, /url\(|@import|expression/)
  })

  it("are also told in words and as lines of signs", () => {
    const [snakes, othello] = [snakesBoards[0]!, othelloBoards[0]!].map((board) => readPosition(positions(board, 1)[0])!)
    assert.match(inWords(snakes!, ["Ada"]), /^1 \u2068Ada\u2069: head at row \d, column \d, length 3, health 99\. Seat 2: head/)
    assert.match(inWords(othello!, []), /^Seat 1: \d discs?\. Seat 2: \d discs?\. Seat 2 is to place\.$/)
    const [first, second] = snakes!.seats
    const out = inWords({ ...snakes!, seats: [first!, { ...second!, out: "wall" }] } as typeof snakes & {}, [])
    assert.include(out, "Seat 2 is out: hit a wall.", "in the words of the table of seats")
    assert.lengthOf(textBoard(snakes!), 7)
    assert.match(textBoard(snakes!).join("\n"), /1[\s\S]*2|2[\s\S]*1/)
    assert.match(textBoard(othello!).join(""), /^[XO. ]+$/)
  })
})

/** WCAG's ratio of luminances. */
const contrast = (one: string, other: string): number => {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

const luminance = (colour: string): number => {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
