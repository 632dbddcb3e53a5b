/**
 * Every write of the stores beside the season's own: of submissions, runners, audits, voiding, versions and
 * season administration. Each is made beside rows of the same shapes of another season, account or key, and
 * each of its conditions in turn is made to hold always.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Postgres from "../../support/Postgres.ts"
import { conditionsDropped, mutantsOf } from "../sqlMutants.ts"
import { EXCUSED } from "./excused.ts"
import { build } from "./ground.ts"
import { CASES as OF_LISTS } from "./listCases.ts"
import { CASES as OF_RUNNERS } from "./runnerCases.ts"
import { CASES as OF_SEASONS } from "./seasonCases.ts"
import { type Case, trial } from "./Trial.ts"

const CASES = [...OF_LISTS, ...OF_RUNNERS, ...OF_SEASONS]
const SOURCES = join(import.meta.dirname, "../../../packages/server/src")
const FEATURES = ["match", "runner", "season", "submission", "version"]

const plain = (text: string): string => text.replace(/\s+/g, " ")

/** The beginnings, up to the first parameter, of the statements in the sources that write where a condition holds. */
const writesIn = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(/\b(?:UPDATE [a-z]|INSERT INTO [a-z]|DELETE FROM [a-z])[^`]*/g)].flatMap(([text]) => {
    const own = text.split(/\bsql(?:<[^>]*>)?$/)[0]!
    return /\bWHERE\b/.test(own) ? [plain(own.split("${")[0]!).trim()] : []
  })

const sources = globSync(`{${FEATURES.join(",")}}/**/*.ts`, { cwd: SOURCES })
  .filter((name) => !name.endsWith(".test.ts"))
  .map((name) => readFileSync(join(SOURCES, name), "utf8"))

/** Their conditions have tests of their own: audit.floods of the first, match.retention of the second. */
const TESTED_ELSEWHERE = ["INSERT INTO runner (id, key_id, name, runtime_version,", "UPDATE match m SET replay_hash = NULL,"]
const isTestedElsewhere = (write: string) => TESTED_ELSEWHERE.some((beginning) => write.startsWith(beginning))

const asItIs = (text: string): string => text
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
const wanted = ({ changes, reply = [] }: Case) => ({ reply, changes })

/** The statements that each case sends. */
const seenBy = Effect.forEach(CASES, (each) => {
  const seen = new Set<string>()
  return Effect.as(trial(each, asItIs, seen), [each, seen] as const)
})

const ground = Layer.effectDiscard(build).pipe(Layer.provideMerge(Postgres.layer({ migrate: true })))

describe("writes beside the season's own", () => {
  layer(ground, { excludeTestServices: true })((it) => {
    for (const each of CASES)
      it.effect(each.title, () => Effect.map(trial(each, asItIs, new Set()), (outcome) => assert.deepStrictEqual(outcome, wanted(each))))

    it.effect("are all among these", () =>
      Effect.gen(function* () {
        const texts = (yield* seenBy).flatMap(([, seen]) => [...seen].map(plain))
        const writes = sources.flatMap(writesIn)
        assert.isAbove(writes.length, 20)
        assert.deepStrictEqual(
          writes.filter((write) => !isTestedElsewhere(write) && !texts.some((text) => text.includes(write))),
          []
        )
      })
    )

    it.effect("are noticed with a condition less", () =>
      Effect.gen(function* () {
        const cases = yield* seenBy
        const mutants = mutantsOf(new Set(cases.flatMap(([, seen]) => [...seen])), conditionsDropped)
        assert.isAbove(mutants.length, 80)
        const unnoticed: Array<string> = []
        for (const { apply, name } of mutants) {
          const concerned = cases.filter(([, seen]) => [...seen].some((text) => apply(text) !== text))
          const outcomes = yield* Effect.forEach(concerned, ([each]) => trial(each, apply, new Set()))
          if (outcomes.every((outcome, i) => isSame(outcome, wanted(concerned[i]![0])))) unnoticed.push(name)
        }
        assert.deepStrictEqual(unnoticed, Object.keys(EXCUSED))
      })
    )
  })
})
