import type { OpenMatch } from "@agon/domain/season/scheduler/Match.ts"
import { assert, describe, it } from "vitest"
import { id } from "../../../../../test/support/SeasonScript.ts"
import { liveNew } from "./shapes.ts"
import { statement } from "./statement.ts"

const match = (n: number, over: Partial<OpenMatch> = {}): OpenMatch => ({
  ...{ id: id("model", n), n, ladder: "nano", candidate: null, round: 0, board: "board-1", seed: n, created_at: 1_000 },
  ...{ versions: [id("version", 1), id("version", 2)], lease_n: 1, losses: 0, tries: [], runner: id("runner", 1), key: id("key", 1) },
  ...{ leased_at: 1_000, until: 2_000, released: false, ...over }
})
const tries = [{ n: 1, key: id("key", 1), at: 0, reason: "runner_lost", version: null }] as const
const RARE = ["candidate", "losses", "tries", "released"]

/** The columns that travel: each is unnested once. */
const sent = (rows: ReadonlyArray<OpenMatch>) => {
  const { params, text } = statement.bind(liveNew, rows)!
  const names = [...text.matchAll(/unnest\([^)]*\) AS (\w+)/g)].map(([, name]) => name!)
  assert.strictEqual(params.length, names.length + 1, "the list of versions has two columns of positions")
  return { names, text }
}

describe("the rows of a part", () => {
  it("travel without the columns in which all have what most rows have, which the statement itself says", () => {
    const { names, text } = sent([match(1), match(2)])
    for (const name of RARE) assert.notInclude(names, name)
    const [, columns, values] = /^INSERT INTO live \(([^)]*)\) SELECT (.*) FROM f, \(SELECT/.exec(text)!
    assert.deepStrictEqual(columns!.split(", ").slice(-4).sort(), [...RARE].sort())
    assert.deepStrictEqual(values!.split(", ").slice(-4).sort(), ["0", "NULL", "NULL", "false"])
  })

  const unusual: ReadonlyArray<Partial<OpenMatch>> = [{ candidate: id("version", 1) }, { losses: 1 }, { tries }, { released: true }]
  it.each(unusual)("travel whole where one of them has %o", (over) => {
    for (const rows of [[match(1, over)], [match(1), match(2, over)], [match(1, over), match(2)]])
      for (const name of RARE) assert.include(sent(rows).names, name)
  })
})
