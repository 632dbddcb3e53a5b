import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger, Redacted, Schema } from "effect"
import * as LogLines from "./LogLines.ts"
import { Told } from "./Told.ts"

/** The lines of an effect, by the logger for machines or by the one for people. */
const linesOf = (logger: Logger.Logger<unknown, string>, effect: Effect.Effect<unknown>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  Effect.runSync(Effect.provide(effect, Logger.layer([Logger.map(logger, (line) => void lines.push(line))])))
  return lines
}
const parsed = (effect: Effect.Effect<unknown>): Record<string, any> => {
  const [line, ...more] = linesOf(LogLines.json, effect)
  assert.deepStrictEqual(more, [])
  return JSON.parse(line!)
}
const people = (effect: Effect.Effect<unknown>): string => linesOf(LogLines.human, effect)[0]!

/** A stack that is not this test's. */
const failure = Object.assign(new Error("no disk"), { stack: "Error: no disk\n    at write (disk.ts:1:1)" })

const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const forging = [
  'x\n{"time":"2026-01-01T00:00:00.000Z","level":"error","message":"forged"}',
  "x\r\n2026-01-01 00:00:00Z ERROR forged",
  "\u001b[2J\u001b]0;title\u0007",
  "\u0085next\u2028line\u2029paragraph",
  "\u202eesrever\u2066",
  'a" level="error',
  "\ud800 half a character"
]

describe("a line for machines", () => {
  it("is one object with time, level, message and the fields at its top", () => {
    const line = parsed(Effect.logWarning("a runner vanished", { runner: "r1", slots: 4, draining: false, name: null, missing: undefined }))
    assert.match(line["time"], /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    const { time: _, ...rest } = line
    assert.deepStrictEqual(rest, {
      level: "warn",
      message: "a runner vanished",
      ...{ runner: "r1", slots: 4, draining: false, name: null }
    })
  })

  it("has no key twice: annotations and fields of one name and value are one, others stand beside it", () => {
    const same = Effect.annotateLogs(Effect.logInfo("season claimed", { season: "s1", epoch: 2 }), { season: "s1" })
    const [line] = linesOf(LogLines.json, same)
    assert.strictEqual(line!.split('"season"').length, 2)
    const other = Effect.annotateLogs(Effect.logInfo("said", { season: "s1", message: "m", level: 3, cause: "c" }), { season: "s2" })
    const { cause_, level, level_, message, message_, season, season_ } = parsed(other)
    assert.deepStrictEqual([season, season_, message, message_, level, level_, cause_], ["s1", "s2", "said", "m", "info", 3, "c"])
    assert.strictEqual(people(same).split("season=").length, 2)
  })

  it("says the facts of typed errors, which have no message, and of those beneath them", () => {
    class StoreAway extends Schema.TaggedError<StoreAway>()("StoreAway", { operation: Schema.String, gone: Schema.Boolean }) {}
    class Unread extends Schema.TaggedError<Unread>()("Unread", { key: Schema.String, cause: Schema.Defect() }) {}
    const beneath = new StoreAway({ operation: "put\nforged", gone: false })
    const error = new Unread({ key: "replays/1", cause: beneath })
    for (const line of [
      Effect.logError("not stored", Cause.fail(error)),
      Effect.logError("not stored", Cause.die(error)),
      Effect.logError("not stored", { cause: Cause.fail(error) })
    ]) {
      const { cause } = parsed(line)
      assert.match(cause, /^Unread: key="?replays\/1"?\n/)
      assert.match(cause, /\n {2}\[cause\]: StoreAway: operation="put\\nforged" gone=false\n/)
    }
    assert.match(parsed(Effect.logError("objects are unavailable", beneath))["cause"], /^StoreAway: operation=.* gone=false\n/)
  })

  it("has one sentence of an end that a sentence explains, and the stack of what came with it", () => {
    const told = new Told("the key was revoked; set another")
    assert.strictEqual(parsed(Effect.logFatal("the program ended", Cause.die(told)))["cause"], told.message)
    assert.isTrue(people(Effect.logFatal("the program ended", Cause.die(told))).endsWith(`\n    ${told.message}`))
    const both = parsed(Effect.logFatal("the program ended", Cause.combine(Cause.die(told), Cause.die(failure))))
    assert.match(both["cause"], /the key was revoked; set another\n {4}at .*Error: no disk\n {4}at write/s)
  })

  it("has the cause of a failure, wherever it was given, and what else was said", () => {
    for (const given of [
      Effect.logError("not stored", failure),
      Effect.logError("not stored", Cause.fail(failure)),
      Effect.logError("not stored", { cause: Cause.fail(failure) })
    ]) {
      const line = parsed(given)
      assert.include(line["cause"], "no disk")
      assert.strictEqual(line["message"], "not stored")
    }
    assert.strictEqual(parsed(Effect.logInfo("a", "b", 3))["message"], "a b 3")
  })
})

describe("text from outside", () => {
  it("cannot begin a line, steer a terminal or end a string, and machines read it as it was", () => {
    const effects = (text: string) => [
      Effect.logInfo("joined", { name: text }),
      Effect.logInfo(text),
      Effect.annotateLogs(Effect.logInfo("joined"), { name: text })
    ]
    const check = (text: string) => {
      for (const effect of effects(text)) {
        const [line] = linesOf(LogLines.json, effect)
        assert.notMatch(line!, CONTROL)
        const { message, name = message } = JSON.parse(line!)
        assert.strictEqual(name, text)
        assert.notMatch(people(effect), CONTROL)
      }
    }
    for (const text of forging) check(text)
    const parts = [...forging, ..."\n\r\t\0\u001b\u009b\u0085\u2028\u202e\"'\\=ä€😀 {}"]
    let drawn = 1
    const draw = (below: number) => (drawn = (drawn * 48_271) % 2_147_483_647) % below
    for (let n = 0; n < 300; n++) check(Array.from({ length: draw(12) }, () => parts[draw(parts.length)]!).join(""))
  })

  it("stays indented in a cause shown to people, so that no line of it is taken for one of the log", () => {
    for (const text of forging) {
      const [, ...rest] = people(Effect.logError("failed", Cause.fail(new Error(text)))).split("\n")
      assert.isNotEmpty(rest)
      for (const line of rest) assert.match(line, /^ {4}/)
      assert.notMatch(rest.join(""), CONTROL)
    }
  })

  it("has an end", () => {
    for (const logger of [LogLines.json, LogLines.human]) {
      const [line] = linesOf(logger, Effect.logError("x".repeat(1e6), { name: "y\n".repeat(1e6) }, Cause.fail(new Error("z".repeat(1e6)))))
      assert.isBelow(line!.length, 30_000)
    }
  })
})

describe("secrets", () => {
  const token = `${"aB3-".repeat(10)}x_9`
  it.each([
    [`key agon_rk_${token} is revoked`, "key <redacted> is revoked"],
    [`session ${token}`, "session <redacted>"],
    [`authorization: Bearer ${token}${token}`, "authorization: Bearer <redacted>"],
    ["postgres://agon:s3cr3t@db:5432/agon is away", "postgres://<redacted>@db:5432/agon is away"],
    ["GET https://s3/a?X-Amz-Expires=60&X-Amz-Signature=0f0f0f", "GET https://s3/a?X-Amz-Expires=60&X-Amz-Signature=<redacted>"],
    ["from https://hub/cb?code=abc&state=def", "from https://hub/cb?code=<redacted>&state=<redacted>"],
    ["ada.love+1@mail.example.org wrote", "<redacted> wrote"]
  ])("are left out of messages, fields and causes: %s", (text, left) => {
    const line = parsed(Effect.logError(text, { field: text }, Cause.fail(new Error(text))))
    assert.deepStrictEqual([line["message"], line["field"]], [left, left])
    assert.include(line["cause"], left)
    assert.include(people(Effect.logError(text)), left)
  })

  it("and only these: ids, hashes, paths and packages stay", () => {
    const text =
      "019a2b3c-0000-7000-8000-00000000000f.2 sha256:" +
      "0a".repeat(32) +
      " at /srv/node_modules/@effect/sql-pg/src/PgClient.ts:10:4 effect@4.1.0"
    assert.strictEqual(parsed(Effect.logInfo(text))["message"], text)
  })

  it("that are wrapped stay so", () => {
    assert.include(parsed(Effect.logInfo("x", { url: Redacted.make("hidden"), all: { key: Redacted.make("hidden") } })), {
      url: "<redacted>"
    })
    const [line] = linesOf(LogLines.json, Effect.logInfo("x", { all: { key: Redacted.make("hidden") } }, [Redacted.make("hidden")]))
    assert.notInclude(line!, "hidden")
  })
})

describe("a line for people", () => {
  it("begins with time and level, and quotes what is not one word", () => {
    const line = people(Effect.logInfo("a runner joined", { name: "my rack", slots: 4, runner: "r1", empty: "" }))
    assert.match(line, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ INFO {2}a runner joined name="my rack" slots=4 runner=r1 empty=""$/)
  })
})
