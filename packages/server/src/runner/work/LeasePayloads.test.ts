import { LeaseAnswer, MatchWork } from "@agon/api/runner/protocol.ts"
import { matchLeaseMax_ms } from "@agon/domain/season/Lease.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { answerText, engineText, matchPayload, uploadOf_s, versionText } from "./LeasePayloads.ts"

const hash = (digit: string) => `sha256:${digit.repeat(64)}`
const fileOf = (digit: string) => ({ hash: hash(digit), url: `http://objects.test/${digit}?signature=é"\\`, bytes: 7 })
const upload = { method: "PUT", url: 'http://objects.test/up?"', headers: { "x-a": "b" }, max_bytes: 4_096 } as const
const ids = ["01900003-0000-7000-8000-00000000000a", "01900003-0000-7000-8000-00000000000b"]
const match = "01900001-0000-7000-8000-00000000000c"

const work = {
  kind: "match",
  lease: `${match}.3`,
  until: 1_763_683_200_000,
  match,
  ladder: null,
  is_trial: true,
  is_finals: false,
  board: "ring",
  seed: 4_294_967_295,
  versions: ids,
  rules: { max_turns: 500, strike_limit: 3 },
  infer_us_max: 20_000
} as const

const parts = {
  expires_at: "2025-11-21T00:00:00.000Z",
  engine: engineText({ id: "here", game: "snakes", engine_digest: 'sha256:"quoted"' }),
  board: JSON.stringify({ name: 'Ün "board"', rows: 7 }),
  versions: ids.map((version, i) => versionText(version, fileOf(`${i}`), fileOf(`${i + 2}`), 67_108_864)),
  upload: { ...upload, expires_at: undefined as never }
}
const payload = matchPayload(work, parts)

describe("lease payloads", () => {
  it("a match is written as the schema would write it, byte for byte", () => {
    const seats = ids.map((version_id, seat) => ({
      seat,
      version_id,
      weights: fileOf(`${seat}`),
      manifest: fileOf(`${seat + 2}`),
      memory_cap_bytes: 67_108_864
    }))
    const whole: MatchWork = {
      lease: work.lease,
      kind: "match",
      expires_at: "2025-11-21T00:00:00.000Z",
      match_id: match,
      game: "snakes",
      engine_digest: 'sha256:"quoted"',
      is_trial: true,
      board: { name: 'Ün "board"', rows: 7 },
      seed: 4_294_967_295,
      rules: { max_turns: 500, strike_limit: 3 },
      seats,
      infer_us_max: 20_000,
      replay_upload: upload
    }
    assert.strictEqual(payload, JSON.stringify(Schema.encodeSync(MatchWork)(whole)))
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`
    assert.strictEqual(
      matchPayload(work, { ...parts, traceparent }),
      JSON.stringify(Schema.encodeSync(MatchWork)({ ...whole, traceparent }))
    )
  })

  it("a replay may be uploaded for as long as its match's lease may live", () => {
    const long = { ...work, infer_us_max: 1_000_000, rules: { max_turns: 5_000, strike_limit: 100 } }
    for (const each of [work, long]) {
      const lives_ms = matchLeaseMax_ms({ infer_us_max: each.infer_us_max, match: each.rules }, each.versions.length)
      assert.isAtLeast(uploadOf_s(each) * 1_000, lives_ms)
    }
  })

  it("an answer with and without work is written as the schema would write it", () => {
    const results = [{ lease: 'some "lease"', accepted: false, reason: "unknown" } as const]
    const full = { leases: [JSON.parse(payload), JSON.parse(payload)], results, drain: true }
    assert.strictEqual(answerText([payload, payload], results, true), JSON.stringify(Schema.encodeUnknownSync(LeaseAnswer)(full)))
    const empty = { leases: [], results: [], drain: false }
    assert.strictEqual(answerText([], [], false), JSON.stringify(Schema.encodeSync(LeaseAnswer)(empty)))
  })
})
