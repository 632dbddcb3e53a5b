import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { sample } from "../support/slow.ts"
import { mutants } from "./mutants.ts"
import { hold, type InMemory, inMemory } from "./simulation.ts"

const SEEDS = Array.from({ length: 48 }, (_, i) => i + 1)
const STEPS = 1_500

const planted = (name: string): Promise<InMemory> =>
  Promise.all([
    import(/* @vite-ignore */ `../../packages/server/src/actor/Mailbox.ts?mutant=${name}`),
    import(/* @vite-ignore */ `../../packages/server/src/actor/SeasonActor.ts?mutant=${name}`),
    import(/* @vite-ignore */ `../../packages/domain/src/season/Season.ts?mutant=${name}`),
    import(/* @vite-ignore */ `../../packages/domain/src/season/State.ts?mutant=${name}`),
    import(/* @vite-ignore */ `../support/MemoryStore.ts?mutant=${name}`)
  ]).then(([Mailbox, SeasonActor, Season, State, MemoryStore]) => ({ Mailbox, SeasonActor, Season, State, MemoryStore }))

/** The first seed that notices, and what it says. */
const caughtBy = Effect.fnUntraced(function* (actor: InMemory, seeds: ReadonlyArray<number>) {
  for (const seed of seeds) {
    const exit = yield* Effect.exit(inMemory(seed, STEPS, actor))
    const [reason] = Exit.isFailure(exit) ? exit.cause.reasons : []
    if (reason?._tag === "Die") return { seed, said: String((reason.defect as Error).message) }
  }
  return undefined
})

/**
 * Seeds that noticed these earlier, or at less cost, than the first that notices: they are tried first. Where the seasons of
 * a seed change, one that notices no more costs its own time and nothing else.
 */
const TRIED_FIRST: Readonly<Record<string, number>> = {
  boardOffKeepsQueue: 1,
  boardThatComesIsPlayedAlone: 4,
  checkHasNoTime: 6,
  closingKeepsQueue: 1,
  closingTakesTenMinutes: 6,
  commitIsAwaitedForEver: 6,
  extendsAnOldLease: 1,
  failuresAreNotCounted: 3,
  fillIsNotCounted: 3,
  fillOverflowsItsHour: 25,
  lateResultCountsAsChecked: 4,
  leaseBeginsAnewAfterARestart: 3,
  leaseLivesForEver: 11,
  nobodyIsSuspended: 3,
  obeysAfterTheClose: 39,
  obeysBeforeWhatIsDue: 18,
  releasedStillCounts: 12,
  repeatAnsweredLost: 6,
  repeatOfFailureForgotten: 2,
  restartForgetsTheReset: 48,
  revokedKeyIsGivenWork: 2,
  revokedKeyKeepsItsWork: 3,
  slowIsAdmitted: 6,
  slowTellingIsAwaited: 4,
  startsOfAResetAreTheFirst: 48,
  timeGoesBack: 11,
  voidForgetsItsBatch: 7,
  voidedTrialKeepsItsCandidateOut: 16,
  weightsTwice: 6
}
const seedsFor = (name: string): ReadonlyArray<number> => {
  const first = TRIED_FIRST[name]
  return first === undefined ? SEEDS : [first, ...SEEDS.filter((seed) => seed !== first)]
}

describe("the simulation notices", () => {
  for (const name of sample(Object.keys(mutants))) {
    it.live(name, () =>
      Effect.gen(function* () {
        const actor = yield* Effect.promise(() => planted(name))
        const caught = yield* caughtBy(actor, seedsFor(name))
        assert.match(caught?.said ?? "nothing was noticed", /^broken promise: /)
        if (process.env["AGON_SIM_SHOW"]) console.log(`${name}: seed ${caught!.seed}: ${caught!.said.slice(16, 90)}`)
      })
    )
  }
})

it.live("a seed that fails is told with the shortest prefix that fails: one step less holds", () =>
  Effect.gen(function* () {
    const actor = yield* Effect.promise(() => planted("malformedIsRated"))
    const failureOf = (run: Effect.Effect<unknown>) => Effect.catchDefect(Effect.as(run, ""), (defect) => Effect.succeed(String(defect)))
    const said = yield* failureOf(hold(1, STEPS, actor))
    const [, seed, steps] = /seed (\d+), (\d+) steps: broken promise: /.exec(said) ?? []
    assert.strictEqual(seed, "1")
    assert.match(said, /the last of what was said:\n\d+ /)
    assert.isBelow(Number(steps), STEPS)
    assert.match(yield* failureOf(inMemory(1, Number(steps), actor)), /broken promise: /)
    assert.strictEqual(yield* failureOf(inMemory(1, Number(steps) - 1, actor)), "")
  })
)

it("every planted bug finds the text that it replaces, once", () => {
  const files = ["../../packages/domain/src", "../../packages/server/src/actor", "../support"].flatMap((folder) =>
    globSync("**/*.ts", { cwd: new URL(folder, import.meta.url) }).map((file) => {
      const path = `${folder}/${file}`
      return { path, text: readFileSync(new URL(path, import.meta.url), "utf8") }
    })
  )
  const wrong = Object.entries(mutants).filter(([, { file, find }]) => {
    const pieces = files.filter(({ path }) => path.endsWith(`/${file}`)).map(({ text }) => text.split(find).length - 1)
    return pieces.reduce((sum, n) => sum + n, 0) !== 1
  })
  assert.deepStrictEqual(wrong, [])
  const unknown = Object.entries(TRIED_FIRST).filter(([name, seed]) => mutants[name] === undefined || !SEEDS.includes(seed))
  assert.deepStrictEqual(unknown, [])
})

it("the table of promises names every planted bug, and no other", () => {
  const table = readFileSync(new URL("README.md", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => /^\| [^-]/.test(line))
  const named = table.slice(1).flatMap((line) =>
    line
      .split("|")[3]!
      .split(",")
      .map((name) => name.trim())
  )
  assert.sameMembers(named, Object.keys(mutants))
})
