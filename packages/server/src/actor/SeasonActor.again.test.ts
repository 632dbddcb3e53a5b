/**
 * Commands that are delivered again after their commit, as the cluster does where a node
 * dies before it has answered.
 */
import type { Command } from "@agon/domain/season/Command.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryStore from "../../../../test/support/MemoryStore.ts"
import { board, id, settings, submit } from "../../../../test/support/SeasonScript.ts"
import * as Mailbox from "./Mailbox.ts"
import * as SeasonActor from "./SeasonActor.ts"
import { SeasonEvents } from "./SeasonEvents.ts"
import { SeasonStore } from "./SeasonStore.ts"

const SEASON = id("season", 1)
const NOW = 2_000

/** Plays a season on rows that stay; each time under another actor, which knows nothing but the rows. */
const host = Effect.fnUntraced(function* () {
  yield* TestClock.setTime(NOW)
  const memory: MemoryStore.Memory = new Map()
  MemoryStore.createSeason(memory, SEASON, settings())
  const store = yield* SeasonStore.pipe(Effect.provide(MemoryStore.layer(memory)))
  const rows = memory.get(SEASON)!
  let claims = 0
  const counted = SeasonStore.of({
    ...store,
    claim: (season) =>
      Effect.andThen(
        Effect.sync(() => claims++),
        store.claim(season)
      )
  })
  const events = SeasonEvents.of({ publish: () => Effect.void, claimed: () => Effect.void })
  const asks = <C extends Command>(...commands: ReadonlyArray<C>) =>
    Effect.scoped(
      Effect.gen(function* () {
        const mailbox = yield* Mailbox.make(SEASON)
        yield* SeasonActor.supervised(mailbox).pipe(
          Effect.provideService(SeasonStore, counted),
          Effect.provideService(SeasonEvents, events),
          Effect.provide(Logger.layer([])),
          Effect.forkScoped
        )
        yield* TestClock.adjust(0)
        return yield* Mailbox.askAll(mailbox, commands)
      })
    )
  return { asks, rows, claims: () => claims }
})

let n = 0
const audit = () => ({ id: id("audit", ++n), actor: id("owner", 9), action: "board.add", subject: "", detail: null }) as const
const adding = board("plain")[0]!
const planned = { _tag: "PlanRound", kind: "round", games: 3, starts_at: NOW + 60_000 } as const

describe("a command delivered again after its commit", () => {
  const cases: Readonly<Record<string, Command>> = {
    AddBoard: { ...adding, audit: audit() } as Command,
    PlanRound: { ...planned, audit: audit() },
    SubmitVersion: submit(1),
    "SubmitVersion of a baseline": { ...submit(2, { owner: null }), audit: audit() },
    EditSettings: { _tag: "EditSettings", settings: { submissions_close_at: 9_000 }, scheduledOnly: false, audit: audit() }
  }
  for (const [name, command] of Object.entries(cases)) {
    it.effect(`gets the same answer and changes nothing: ${name}`, () =>
      Effect.gen(function* () {
        const { asks, claims, rows } = yield* host()
        const first = yield* asks(command)
        assert.isFalse("refused" in (first[0] as object))
        const { seq } = rows
        assert.deepStrictEqual(yield* asks(command), first, "to another actor")
        assert.deepStrictEqual(yield* asks(command, command), [...first, ...first], "twice in a batch")
        assert.strictEqual(rows.seq, seq)
        assert.strictEqual(claims(), 3, "no actor has failed")
      })
    )
    it.effect(`gets the same answer in the batch of its commit: ${name}`, () =>
      Effect.gen(function* () {
        const { asks, claims } = yield* host()
        const [first, second] = yield* asks(command, command)
        assert.deepStrictEqual(second, first)
        assert.strictEqual(claims(), 1)
      })
    )
  }

  it.effect("is not done once more where it was undone since: a withdrawal, a switch, a disqualification, a rejected version", () =>
    Effect.gen(function* () {
      const { asks, claims, rows } = yield* host()
      const withdrawal = { _tag: "PatchRound", n: 1, withdrawn: true, audit: audit() } as const
      const on = { _tag: "SwitchBoard", board: "plain", enabled: true, audit: audit() } as const
      yield* asks<Command>(...board("plain"), { ...planned, audit: audit() }, { ...on, enabled: false, audit: audit() })
      const first = yield* asks<Command>(withdrawal, on)
      assert.deepStrictEqual(first, [{ n: 1 }, { enabled: true }])
      yield* asks({ ...on, enabled: false, audit: audit() })
      assert.deepStrictEqual(yield* asks<Command>(withdrawal, on), first)
      assert.isFalse(rows.boards.get("plain")!.enabled)

      const submission = submit(3, { files: null })
      const [entered] = yield* asks(submission)
      yield* asks({ _tag: "RejectFiles", version: submission.version, reject_reason: "upload_expired", reject_detail: "x" })
      assert.deepInclude(entered, { submitted: submission.version, fresh: true })
      const [again] = yield* asks(submission)
      assert.deepStrictEqual<unknown>(again, { ...(entered as object), upload_until: null })
      assert.strictEqual(rows.versions.get(submission.version)!.status, "rejected")
      assert.strictEqual(claims(), 7, "no actor has failed")
    })
  )
})
