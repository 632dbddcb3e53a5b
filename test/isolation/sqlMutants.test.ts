import { assert, describe, it } from "@effect/vitest"
import { conditionsOf, mutantsOf, piecesOf } from "./sqlMutants.ts"

const conditions = (text: string) => conditionsOf(text).map(({ from, to }) => text.slice(from, to))

describe("mutants of SQL", () => {
  it("drop each condition, of inner statements and of joins too", () => {
    assert.deepStrictEqual(conditions("SELECT a FROM b JOIN c ON c.id = b.id WHERE b.x = 'AND' AND NOT b.y ORDER BY a"), [
      "c.id = b.id",
      "b.x = 'AND'",
      "NOT b.y"
    ])
    assert.deepStrictEqual(conditions("SELECT 1 WHERE a IN (SELECT b FROM c WHERE d = e(f) AND g) OR h"), [
      "a IN (SELECT b FROM c WHERE d = e(f) AND g)",
      "d = e(f)",
      "g",
      "h"
    ])
    assert.deepStrictEqual(conditions("DELETE FROM a WHERE b AND (c = 1 OR (d AND (e + 1) * 2 = f)) AND (g) OR (h) = (i)"), [
      "b",
      "(c = 1 OR (d AND (e + 1) * 2 = f))",
      "c = 1",
      "(d AND (e + 1) * 2 = f)",
      "d",
      "(e + 1) * 2 = f",
      "(g)",
      "(h) = (i)"
    ])
    assert.deepStrictEqual(conditions("INSERT INTO a (b) VALUES (1) ON CONFLICT (b) DO NOTHING"), [])
  })

  it("are those of a commit's parts, wherever these stand in it", () => {
    const fence = "UPDATE season SET seq = $3 WHERE id = $1 AND epoch = $2 RETURNING id AS season_id, game"
    const part = (n: number) => `DELETE FROM live USING f WHERE live.season_id = f.season_id AND live.id = ANY ($${n}::uuid[])`
    const commit = (parts: ReadonlyArray<string>) =>
      `WITH f AS (${fence})${parts.map((text, i) => `, p${i} AS (${text})`).join("")} SELECT count(*)::int4 AS held FROM f`
    const [one, two] = [commit([part(4)]), commit(["INSERT INTO x (a) SELECT $4 FROM f", part(5)])]
    assert.strictEqual(piecesOf(two).length, 3)
    const mutants = mutantsOf([one, two])
    assert.deepStrictEqual(
      mutants.map(({ name }) => name),
      [
        "UPDATE season without id = ?1",
        "UPDATE season without epoch = ?2",
        "DELETE FROM live without live.season_id = f.season_id",
        "DELETE FROM live without live.id = ANY (?1::uuid[])",
        "DELETE FROM live without the fence",
        "INSERT INTO x without the fence"
      ]
    )
    assert.include(mutants[3]!.apply(two), "live.season_id = f.season_id AND (live.id = ANY ($5::uuid[]) OR TRUE))")
    assert.include(mutants[4]!.apply(two), "DELETE FROM live USING (SELECT id AS season_id, game FROM season WHERE id = $1) f WHERE")
    assert.strictEqual(mutants[5]!.apply(one), one)
  })
})
