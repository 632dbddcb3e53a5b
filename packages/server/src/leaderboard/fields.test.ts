import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type CallerClass, CurrentCallerClass } from "../database/CallerClass.ts"
import { makeFields } from "./fields.ts"

const marks = () => Effect.succeed({ marks: "0/0/0" })
const ladder = { season_id: "s", ladder: "open", round: 1 }

it.effect("sums of a long ladder are read by the service itself, whoever asks first; those of a short one by who asks", () =>
  Effect.gen(function* () {
    const readers: Array<CallerClass> = []
    const groups = () =>
      Effect.map(CurrentCallerClass, (caller) => {
        readers.push(caller)
        return []
      })
    const fields = yield* makeFields({ groups, marks })
    const asking = Effect.provideService(CurrentCallerClass, "anonymous" as CallerClass)
    yield* asking(fields(ladder, 10_000))
    yield* asking(fields(ladder, 10))
    assert.deepStrictEqual(readers, ["service", "anonymous"])
  })
)

it.effect("one long ladder is read after another, so that strangers hold one of the service's connections at most", () =>
  Effect.gen(function* () {
    let [now, most] = [0, 0]
    const groups = () =>
      Effect.gen(function* () {
        most = Math.max(most, ++now)
        yield* Effect.repeat(Effect.yieldNow, { times: 10 }) // others could begin meanwhile
        now--
        return []
      })
    const fields = yield* makeFields({ groups, marks })
    const ask = (name: string) => fields({ ...ladder, ladder: name }, 10_000)
    yield* Effect.forEach(["open", "nano", "mini"], ask, { concurrency: "unbounded" })
    assert.strictEqual(most, 1)
  })
)
