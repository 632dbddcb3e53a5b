import { assert, it } from "@effect/vitest"
import type { Version } from "../Version.ts"
import { drawOpponents, opponentsIn } from "./TrialOpponents.ts"

const STREAK = { n: 1, versions: [], owners: [], keys: [], played: 0 }
const version = (id: string, owner: string | null, over: Partial<Version> = {}): Version =>
  ({ id, owner, status: "entered", phase: null, streak: null, ...over }) as Version

const candidate = version("candidate", "ann", { status: "testing", phase: "trial" })
const fieldOf = (...versions: ReadonlyArray<Version>) => ({
  source: { hash: 7, draws: 0 },
  opponents: opponentsIn({ versions_by_id: new Map([candidate, ...versions].map((version) => [version.id, version])) })()
})

it("baselines come first, then entries of others, then the owner's own, then those whose last match failed", () => {
  const { opponents, source } = fieldOf(
    version("failing", "bob", { streak: STREAK }),
    version("failing baseline", null, { streak: STREAK }),
    version("own", "ann"),
    version("other", "bob"),
    version("baseline", null)
  )
  const order = ["baseline", "other", "own"]
  for (let n = 1; n <= order.length; n++) assert.deepStrictEqual(drawOpponents(source, opponents, candidate, n), order.slice(0, n))
  assert.sameMembers(drawOpponents(source, opponents, candidate, 9).slice(3) as Array<string>, ["failing", "failing baseline"])
})

it("nobody plays who is not in play, nor who left since they were listed", () => {
  const superseded = version("superseded", "bob")
  const { opponents, source } = fieldOf(
    superseded,
    version("suspended", "bob", { phase: "suspended" }),
    version("rival", "bob", { status: "testing", phase: "trial" }),
    version("off", null, { status: "disabled" })
  )
  assert.deepStrictEqual(drawOpponents(source, opponents, candidate, 3), ["superseded"])
  superseded.status = "superseded"
  assert.deepStrictEqual(drawOpponents(source, opponents, candidate, 3), [])
})

it("every entry is drawn as often as the others", () => {
  const { opponents, source } = fieldOf(...["a", "b", "c", "d", "e"].map((id) => version(id, id)))
  const times = new Map<string, number>()
  for (let i = 0; i < 2_000; i++) for (const id of drawOpponents(source, opponents, candidate, 2)) times.set(id, (times.get(id) ?? 0) + 1)
  // Four times in ten each, with a deviation of 22.
  assert.isTrue(
    [..."abcde"].every((id) => Math.abs(times.get(id)! - 800) < 110),
    JSON.stringify([...times])
  )
})

it("no more are drawn than a match has seats, however many there are", () => {
  const { opponents, source } = fieldOf(...Array.from({ length: 500 }, (_, n) => version(`v${n}`, `o${n}`)))
  assert.lengthOf(drawOpponents(source, opponents, candidate, 3), 3)
  assert.strictEqual(source.draws, 3)
})
