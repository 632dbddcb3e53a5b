import { makeClient } from "@agon/api/Client.ts"
import type { OwnVersion } from "@agon/api/version/Version.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { follow } from "./follow.ts"

const ID = "01900000-0000-7000-8000-000000000001"

const version: OwnVersion = {
  ...{ version_id: ID, model_id: ID, model: "Hydra", owner: "mara", game: "snakes", season: "one", version: 1 },
  ...{ status: "testing", phase: "review", admit_attempt: 1, successor: null, reject_reason: null, note: null, baseline: false },
  ...{ weights_hash: "", manifest_hash: "", class: null, class_max_bytes: null, class_memory_flat_bytes: null, trial: null },
  ...{ class_memory_cell_bytes: null, size_bytes: null, memory_bytes: null, param_count: null, infer_us: null, runtime_version: null },
  ...{ ratings: {}, created_at: "2026-01-01T00:00:00.000Z", last_played_at: null },
  ...{ reject_detail: null, waiting: null, next_match_eta_s: null }
}

/** As nginx answers programs while no node does, and those of an address that asks too much (scripts/nginx.conf). */
const unavailable = { status: 503, code: "unavailable", type: "/errors#unavailable", title: "Temporarily unavailable", detail: "No node." }
const rateLimited = { ...unavailable, ...{ status: 429, code: "rate_limited", type: "/errors#rate_limited", retry_after_ms: 1000 } }

type Step = OwnVersion["status"] | number | typeof unavailable

/** A service that says the version's status, that is down (0), or whose proxy answers this status or problem; the last of them for ever. */
const service = (...steps: ReadonlyArray<Step>) => {
  let asked = 0
  return HttpClient.make((request) => {
    const step = steps[Math.min(asked++, steps.length - 1)]!
    if (typeof step === "object") {
      const init = { status: step.status, headers: { "content-type": "application/problem+json" } }
      return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(JSON.stringify(step), init)))
    }
    if (step === 0) return Effect.fail(new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) }))
    const response =
      typeof step === "number" ? new Response("<html>", { status: step }) : Response.json({ ...version, status: step, phase: null })
    return Effect.succeed(HttpClientResponse.fromWeb(request, response))
  })
}

const following = (http: HttpClient.HttpClient) =>
  Effect.flatMap(makeClient("http://agon.example"), (client) => follow(client, ID, true)).pipe(
    Effect.provideService(HttpClient.HttpClient, http),
    Effect.forkChild
  )

describe("a version that is followed", () => {
  it.effect("is followed on after the service was away, or its proxy found none", () =>
    Effect.gen(function* () {
      const fiber = yield* following(service("testing", 0, 0, 502, "testing", 504, "entered"))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(fiber)).status, "entered")
    })
  )

  it.effect("is followed on while nginx says for minutes that the service is away", () =>
    Effect.gen(function* () {
      const fiber = yield* following(service("testing", ...Array(110).fill(unavailable), ...Array(5).fill(rateLimited), "entered"))
      yield* TestClock.adjust("290 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).status, "entered")
    })
  )

  it.effect("is given up once nginx has said for five minutes that the service is away", () =>
    Effect.gen(function* () {
      const fiber = yield* following(service("testing", unavailable))
      yield* TestClock.adjust("290 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "unavailable")
    })
  )

  it.effect("is given up once the service has been away for five minutes", () =>
    Effect.gen(function* () {
      const fiber = yield* following(service("testing", 0))
      yield* TestClock.adjust("290 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "HttpClientError")
    })
  )
})
