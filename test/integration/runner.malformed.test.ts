/**
 * A result that the service does not take ends as a failure of the work, which counts as an attempt at it.
 * Given back, it would come again for ever. Where it held its replay it is told once more, with an upload.
 */

import type { Client } from "@agon/api/Client.ts"
import { InvalidRequest } from "@agon/api/Problem.ts"
import type { LeasedResult, OpenSession, Result, Work } from "@agon/api/runner/protocol.ts"
import { run } from "@agon/runner/runner/Runner.ts"
import { Worker } from "@agon/runner/runner/Worker.ts"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

const malformed = new InvalidRequest({ detail: "reject_detail holds a NUL character.", errors: [] })
const replay = { hash: `sha256:${"0".repeat(64)}`, bytes: 2 }
const RESULTS: Readonly<Record<Work["kind"], Result>> = {
  admission: { kind: "admission", runtime_version: "ort", verdict: "rejected", reject_reason: "manifest_invalid", reject_detail: "\0" },
  match: { kind: "match", runtime_version: "ort", reason: "\0", turns: 1, played_ms: 1, seats: [], state_sha256: "", replay },
  audit: { kind: "audit", state_sha256: "\0" }
}
const works = (Object.keys(RESULTS) as ReadonlyArray<Work["kind"]>).map((kind) => ({ kind, lease: `${kind}.1` }) as Work)
const about: OpenSession = { name: "one", runtime_version: "ort", engines: [], accepts: ["match"], slots: works.length }

/** Gives each work once, takes no result with a NUL, and lets the runner go when it has told of everything. */
const makeService = () => {
  const told = new Map<string, unknown>()
  let given = false
  const refused = (result: object) => JSON.stringify(result).includes("\\u0000")
  const runner = {
    openSession: () => Effect.succeed({ runner: "r", heartbeat_s: 10, lease_s: 30 }),
    closeSession: () => Effect.void,
    lease: ({ payload: { results = [] } }: { readonly payload: { readonly results?: ReadonlyArray<LeasedResult> } }) => {
      if (results.some(refused)) return Effect.fail(malformed)
      const leases = given ? [] : works
      given = true
      return Effect.succeed({ leases, results: [], drain: told.size === works.length })
    },
    result: ({ params, payload }: { readonly params: { readonly lease: string }; readonly payload: Result }) => {
      if (refused(payload)) return Effect.fail(malformed)
      told.set(params.lease, payload)
      return Effect.succeed({ accepted: true })
    },
    release: ({ params }: { readonly params: { readonly lease: string } }) => Effect.sync(() => void told.set(params.lease, "given back"))
  }
  return { client: { runner } as unknown as Client, told }
}

it.effect("a runner reports work as failed whose result the service does not take", () =>
  Effect.gen(function* () {
    const { client, told } = makeService()
    const worker = Worker.of({ work: ({ kind }) => Effect.succeed(RESULTS[kind]), upload: () => Effect.void })
    const running = run(client, about, { finish_s: 1, hurry: Effect.never })
    yield* Effect.scoped(running).pipe(Effect.provideService(Worker, worker))
    assert.deepInclude(told.get("admission.1") as object, { kind: "admission", verdict: "failed" })
    assert.deepInclude(told.get("match.1") as object, { kind: "match", fault_reason: "engine_fault" })
    assert.strictEqual(told.get("audit.1"), "given back", "nobody waits for an audit, and its time is bounded")
  })
)

/** A service of an earlier release, which looks for an upload; `taken` are the results that it accepts. */
const makeOlder = (works: ReadonlyArray<Work>, uploads: ReadonlyMap<string, string>) => {
  const taken = new Map<string, Result>()
  let given = false
  const isProven = (lease: string, result: Result) => uploads.has(lease) && !("fault_reason" in result)
  const missing = new InvalidRequest({ detail: "The replay is missing.", errors: [] })
  const runner = {
    openSession: () => Effect.succeed({ runner: "r", heartbeat_s: 10, lease_s: 30, inline_replay_bytes: 100 }),
    closeSession: () => Effect.void,
    lease: ({ payload: { results } }: { readonly payload: { readonly results: ReadonlyArray<LeasedResult> } }) => {
      if (results.length > 0) return Effect.fail(missing)
      const leases = given ? [] : works
      given = true
      return Effect.succeed({ leases, results: [], drain: taken.size === works.length })
    },
    result: ({ params: { lease }, payload }: { readonly params: { readonly lease: string }; readonly payload: Result }) => {
      if (!isProven(lease, payload)) return Effect.fail(missing)
      taken.set(lease, payload)
      return Effect.succeed({ accepted: true })
    }
  }
  return { client: { runner } as unknown as Client, taken }
}

it.effect("a runner uploads a replay that a node of an earlier release did not take within its result", () =>
  Effect.gen(function* () {
    const uploads = new Map<string, string>()
    const replay_upload = { method: "PUT", url: "match.1", headers: {}, max_bytes: 100 }
    const { client, taken } = makeOlder([{ kind: "match", lease: "match.1", replay_upload } as unknown as Work], uploads)
    const result = { ...RESULTS.match, reason: "turn_limit", replay: { ...replay, inline: "{}" } } as Result
    const bounds: Array<number | undefined> = []
    const worker = Worker.of({
      work: (_, inline_bytes) => Effect.sync(() => bounds.push(inline_bytes)).pipe(Effect.as(result)),
      upload: ({ url }, bytes) => Effect.sync(() => void uploads.set(url, new TextDecoder().decode(bytes)))
    })
    const running = run(client, { ...about, slots: 1 }, { finish_s: 1, hurry: Effect.never })
    yield* Effect.scoped(running).pipe(Effect.provideService(Worker, worker))
    assert.deepStrictEqual(bounds, [100])
    assert.deepStrictEqual([...uploads], [["match.1", "{}"]])
    assert.deepStrictEqual(taken.get("match.1"), { ...result, replay } as Result)
  })
)
