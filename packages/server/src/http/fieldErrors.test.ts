import { Api } from "@agon/api/Api.ts"
import { fieldErrors, sentencesOf } from "@agon/api/fieldErrors.ts"
import { assert, describe, it } from "@effect/vitest"
import { type Exit, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { overlongIn } from "./body/lengths.ts"

const endpoints = new Map<string, any>()
HttpApi.reflect(Api, { onGroup: () => {}, onEndpoint: ({ endpoint }) => void endpoints.set(endpoint.identifier, endpoint) })

const bodiesOf = (operation: string): ReadonlyArray<Schema.Decoder<unknown>> =>
  [...endpoints.get(operation).payload.values()].flatMap(({ schemas }) => schemas)

const refusalOf = (schema: Schema.Decoder<unknown>, value: unknown) => {
  const exit = Schema.decodeUnknownExit(schema, { errors: "all", reportInput: true })(value) as Exit.Exit<unknown, any>
  if (exit._tag === "Success") return assert.fail(`takes ${JSON.stringify(value)}`)
  const error = (exit.cause.reasons[0] as any).error
  return fieldErrors(error.issue ?? error)
}

const body = (operation: string, value: unknown) => {
  const schemas = bodiesOf(operation)
  const found = overlongIn(schemas as ReadonlyArray<any>)?.(value) ?? []
  return found.length > 0 ? found : refusalOf(Schema.Union(schemas as ReadonlyArray<any>) as never, value)
}
const saidOf = (operation: string, value: unknown) => sentencesOf(body(operation, value))

describe("what is wrong with a request", () => {
  it("is said in words: where, and what it takes there", () => {
    const cases: ReadonlyArray<readonly [string, unknown, string]> = [
      ["editVersion", {}, "note is missing: it takes text or null."],
      ["countView", [], "The body takes an object."],
      ["createSeason", { name: "" }, "name takes text of 1 to 100 characters, not all of them blank."],
      [
        "openSession",
        { name: "a", runtime_version: "1", engines: [], accepts: ["match"], slots: 0 },
        "slots takes a whole number from 1 to 256."
      ],
      ["postComment", { body: "x" }, "match: Name either a match or a model."],
      ["planRound", { kind: "round", games: 1, starts_at: "tomorrow" }, "starts_at takes an RFC 3339 timestamp."],
      ["addParticipants", { logins: ["a", ""] }, "item 2 of logins takes text of 1 to 255 characters, not all of them blank."],
      ["result", {}, 'The body takes an object whose kind is one of "match", "admission", "audit".'],
      ["result", { kind: "guess" }, 'kind takes one of "match", "admission", "audit".'],
      ["narrowEntry", { entry: "open" }, 'entry takes "restricted".'],
      ["narrowEntry", {}, 'entry is missing: it takes "restricted".'],
      ["narrowEntry", [], "The body takes an object."],
      ["changeFill", { enabled: 1 }, "enabled takes true or false."],
      ["markRead", { ids: Array(101).fill(1) }, "ids takes a list of at most 100 items, not 101."]
    ]
    for (const [operation, value, sentence] of cases) assert.include(saidOf(operation, value), sentence, operation)
    const query = refusalOf(endpoints.get("matches").query, { limit: "abc", sort: "best" })
    assert.include(sentencesOf(query, "query"), "limit takes a whole number of at least 1.")
    assert.include(sentencesOf(query, "query"), 'sort takes one of "newest", ')
  })

  it("is of the form that the value comes nearest to", () => {
    const failed = body("result", { kind: "match", fault_reason: "nothing" })
    assert.deepStrictEqual(
      failed.map(({ path }) => path),
      ["fault_reason", "detail"]
    )
    const finished = body("result", { kind: "match", turns: 3, reason: "last", seats: [{ seat: 9, score: 1, rank: 1, strikes: 0 }] })
    assert.include(
      finished.map(({ path }) => path),
      "seats.0.seat"
    )
  })

  it("is ten faults at most, and in a list the first", () => {
    const results = Array(256).fill({ kind: "match", seats: Array(8).fill({}) })
    const faults = body("lease", { runner: 1, max: "x", wait_s: "x", results })
    assert.isAtMost(faults.length, 10)
    assert.isTrue(
      faults.every(({ path }) => !/results\.[1-9]/.test(path)),
      JSON.stringify(faults)
    )
    assert.deepStrictEqual(body("markRead", { ids: Array(100).fill(1) }), [{ path: "ids.0", message: "takes a UUID in lower case" }])
  })

  it("in a sentence of three faults names how many more there are", () => {
    const errors = Array.from({ length: 7 }, (_, i) => ({ path: `rules.a${i}`, message: "It takes 1 to 20." }))
    assert.strictEqual(
      sentencesOf(errors),
      "a0 of rules takes 1 to 20. a1 of rules takes 1 to 20. a2 of rules takes 1 to 20. 4 more are wrong."
    )
    assert.strictEqual(sentencesOf([{ path: "walls[3]", message: "lies off the board" }], "board"), "item 4 of walls lies off the board.")
  })

  it("is found in a list that is too long without a look at its items", () => {
    const item = {
      get kind(): string {
        return assert.fail("looked at")
      }
    }
    assert.deepStrictEqual(body("lease", { runner: "x", max: 1, wait_s: 1, results: Array(257).fill(item) }), [
      { path: "results", message: "takes a list of at most 256 items, not 257" }
    ])
    assert.deepStrictEqual(body("result", { kind: "match", seats: Array(9).fill(item) }), [
      { path: "seats", message: "takes a list of 1 to 8 items, not 9" }
    ])
  })
})
