/** Writes about runners, their keys and their audits. */
import { Effect, Option } from "effect"
import { id } from "../../support/SeasonScript.ts"
import { audit, live, match, NOW, OWN, PLATFORM, review, runner } from "./ground.ts"
import type { Case, Stores } from "./Trial.ts"
import { TAKES } from "./takeCases.ts"

const ONE = id("season", 1)
const KEY = id("key", 1)
const RUNNER = id("runner", 11)
const LATER = new Date("2026-03-01T12:10:00Z")
const AGO = "2026-03-01T10:00:00Z"
const DAYS_AGO = "2026-02-20T10:00:00Z"

const session = (n: number) => ({
  ...{ id: id("runner", n), name: "r", runtime_version: "rt", engines: [], accepts: ["match"] as const },
  ...{ slots: 1, isolation: null }
})

const opening = (key: number, ...runners: ReadonlyArray<number>) => ({ key_id: id("key", key), now: NOW, sessions: runners.map(session) })

/** Of both seasons, three that are flagged for each key: two within a day, one before it. */
const FLAGGED = [1, 2].flatMap((key) => [
  runner(key * 10 + 4, { key, state: "gone", flagged: AGO }),
  runner(key * 10 + 5, { key, state: "gone", flagged: AGO }),
  runner(key * 10 + 6, { key, state: "gone", flagged: DAYS_AGO })
])
const THIRD = [1, 2].map((key) => runner(key * 10 + 7, { key, state: "draining", flagged: AGO }))

/** Enough rows of a key's runners to reach a limit. */
const many = (count: number, key: number, state: string) => `
  INSERT INTO runner (id, key_id, name, runtime_version, engines, accepts, slots, state, created_at, last_seen_at)
    SELECT gen_random_uuid(), '${id("key", key)}', 'r', 'rt', '[]', '{match}', 1, '${state}', '${NOW.toISOString()}', '${NOW.toISOString()}'
    FROM generate_series(1, ${count})`

/**
 * Runner 11 holds one match and one review, and gave one of each back; so does 21; of the draining ones
 * 12 has a match, 22 a review.
 */
const WORK = [
  ...[1, 2].flatMap((n) => [live(n * 10, n, n * 10 + 1, true), live(n * 10 + 1, n, n * 10 + 1, false), review(n, n, n * 10 + 1, n === 1)]),
  live(12, 1, 12, true),
  live(22, 2, 22, false)
]

/** Runner 12 plays a match again, and 22 did. */
const PLAYED_AGAIN = [
  audit(12, { season: 1, runner: 12, state: "leased", until: AGO }),
  audit(22, { season: 2, runner: 22, state: "waiting" })
]

const dismissed = (season: number, owner: number) =>
  `DELETE FROM season_admin WHERE season_id = '${id("season", season)}' AND account_id = '${id("owner", owner)}'`

/** As a caller does within its transaction. */
const ended =
  (owner: number) =>
  ({ keys }: Stores) =>
    Effect.gen(function* () {
      const lapsed = yield* keys.lapsed(id("owner", owner))
      yield* keys.endRunners(lapsed.map(({ id }) => id))
      return lapsed
    })

const revoked = ({ keys }: Stores) => Effect.tap(keys.revoke({ id: KEY, now: NOW }), () => keys.endRunners([KEY]))

const KEYS: ReadonlyArray<Case> = [
  {
    title: "a revoked key takes its own runners along",
    act: revoked,
    reply: [{ id: "key 1" }],
    changes: ["runner 11: state=gone", "runner 12: state=gone", "runner_key key 1: revoked_at=2026-03-01T12:00:00+00:00"]
  },
  {
    title: "a key is revoked once",
    rows: [`UPDATE runner_key SET revoked_at = '${AGO}'`, `UPDATE runner SET state = 'gone'`],
    act: revoked,
    reply: [],
    changes: []
  },
  {
    title: "the runners of a key end with the season's office of who made it, and no others",
    rows: [1, 2].map((n) => dismissed(n, n)),
    act: ended(1),
    reply: [{ id: "key 1" }],
    changes: ["runner 11: state=gone", "runner 12: state=gone"]
  },
  {
    title: "the office of a season is none of the platform",
    act: ended(2),
    reply: [{ id: "key 3" }],
    changes: ["runner 31: state=gone", "runner 32: state=gone"]
  },
  {
    title: "an administrator of the platform has keys of it and of all seasons",
    rows: [`UPDATE account SET admin = true WHERE id = '${id("owner", 2)}'`, dismissed(2, 2)],
    act: ended(2),
    changes: []
  },
  {
    title: "the runners of a suspended account's keys end, in office or not",
    rows: [`UPDATE account SET suspended = true WHERE id = '${id("owner", 1)}'`],
    act: ended(1),
    reply: [{ id: "key 1" }],
    changes: ["runner 11: state=gone", "runner 12: state=gone"]
  },
  {
    title: "a revoked key ends nothing more",
    rows: [`UPDATE runner_key SET revoked_at = '${AGO}'`, dismissed(1, 1)],
    act: ended(1),
    changes: []
  }
]

const drain =
  (runner: number, season: number | null) =>
  ({ runners }: Stores) =>
    Effect.map(runners.drain({ id: id("runner", runner), season_id: season === null ? null : id("season", season) }), (drained) =>
      Option.getOrNull(Option.map(drained, ({ fresh, leases }) => ({ fresh, leases })))
    )

/** In the order of their ids. */
const swept = (sessions: Stores["sessions"]) =>
  Effect.map(sessions.sweep(new Date(AGO)), (rows) =>
    rows.map(({ key, runner, silent }) => `${runner} of ${key}: ${silent ? "silent" : "done"}`).sort()
  )

const SESSIONS: ReadonlyArray<Case> = [
  {
    title: "a session is opened for a key with two runners flagged within a day",
    rows: FLAGGED,
    act: ({ sessions }) => sessions.openSessions(opening(1, 99)),
    reply: [{ id: "runner 99", state: "active", flagged: 2, in_force: true }],
    changes: ["+ runner 99"]
  },
  {
    title: "a session of a key with three runners flagged within a day gets no work",
    rows: [...FLAGGED, ...THIRD],
    act: ({ sessions }) => sessions.openSessions(opening(1, 99)),
    reply: [{ id: "runner 99", state: "draining", flagged: 3, in_force: true }],
    changes: ["+ runner 99"]
  },
  {
    title: "a session of the service's own key gets work whatever was flagged",
    rows: [4, 5, 6].map((n) => runner(OWN * 10 + n, { key: OWN, state: "gone", flagged: AGO })),
    act: ({ sessions }) => sessions.openSessions(opening(OWN, 99)),
    reply: [{ id: "runner 99", state: "active", flagged: 3, in_force: true }],
    changes: ["+ runner 99"]
  },
  {
    title: "a key has as many sessions as it may, gone ones not counted",
    rows: [many(125, 1, "active"), many(9, 1, "gone"), many(9, 2, "active")],
    act: ({ sessions }) => sessions.openSessions(opening(1, 99)),
    reply: [{ id: "runner 99", state: "active", flagged: 0, in_force: true }],
    changes: ["+ runner 99"]
  },
  {
    title: "and not one more",
    rows: [many(126, 1, "active")],
    act: ({ sessions }) => sessions.openSessions(opening(1, 99)),
    reply: [{ id: "runner 99", state: null, flagged: 0, in_force: true }],
    changes: []
  },
  {
    title: "the last places of a key go to those who came first",
    rows: [many(124, 1, "active")],
    act: ({ sessions }) =>
      Effect.map(sessions.openSessions(opening(1, 99, 97, 98)), (rows) => rows.toSorted((a, b) => a.id.localeCompare(b.id))),
    reply: [
      { id: "runner 97", state: "active", flagged: 0, in_force: true },
      { id: "runner 98", state: null, flagged: 0, in_force: true },
      { id: "runner 99", state: "active", flagged: 0, in_force: true }
    ],
    changes: ["+ runner 97", "+ runner 99"]
  },
  {
    title: "a revoked key opens no session",
    rows: [`UPDATE runner_key SET revoked_at = '${AGO}' WHERE id = '${KEY}'`],
    act: ({ sessions }) => sessions.openSessions(opening(1, 99)),
    reply: [{ id: "runner 99", state: null, flagged: 0, in_force: false }],
    changes: []
  },
  {
    title: "a key of a season opens no session without its maker's office",
    rows: [dismissed(1, 1)],
    act: ({ sessions }) => sessions.openSessions(opening(1, 99)),
    reply: [{ id: "runner 99", state: null, flagged: 0, in_force: false }],
    changes: []
  },
  {
    title: "the oldest gone runners of a key are forgotten, but not those flagged within a day",
    rows: [...FLAGGED, many(1_000, 1, "gone"), many(9, 2, "gone")],
    act: ({ sessions }) => sessions.forget({ key_id: KEY, now: NOW }),
    changes: ["- runner 13", "- runner 16"]
  },
  {
    title: "runners that still play are not forgotten",
    rows: [many(1_000, 1, "active")],
    act: ({ sessions }) => sessions.forget({ key_id: KEY, now: NOW }),
    changes: []
  },
  {
    title: "a runner is seen, and one that is gone stays so",
    act: ({ sessions }) => sessions.seen({ ids: [id("runner", 13)], now: LATER }),
    changes: ["runner 13: last_seen_at=2026-03-01T12:10:00+00:00"]
  },
  {
    title: "a session is closed for good, and no other",
    act: ({ sessions }) => sessions.closeSession({ id: RUNNER, key_id: KEY }),
    reply: [{ id: "runner 11" }],
    changes: ["runner 11: state=gone stopped=true"]
  },
  {
    title: "a session is not closed under another key",
    act: ({ sessions }) => sessions.closeSession({ id: id("runner", 21), key_id: KEY }),
    changes: []
  },
  {
    title: "a runner that was away returns",
    act: ({ sessions }) => sessions.returns({ id: id("runner", 13), now: LATER }),
    reply: [{ name: "r", key: "key 1" }],
    changes: ["runner 13: state=active last_seen_at=2026-03-01T12:10:00+00:00"]
  },
  {
    title: "a runner that was here does not return",
    act: ({ sessions }) => sessions.returns({ id: RUNNER, now: LATER }),
    changes: []
  },
  {
    title: "a runner that was stopped does not return",
    rows: [`UPDATE runner SET stopped = true WHERE id = '${id("runner", 13)}'`],
    act: ({ sessions }) => sessions.returns({ id: id("runner", 13), now: LATER }),
    changes: []
  },
  {
    title: "silent runners are gone, and drained ones without work",
    rows: [...WORK, `UPDATE runner SET last_seen_at = '${DAYS_AGO}' WHERE id IN ('${id("runner", 21)}', '${id("runner", 23)}')`],
    act: ({ sessions }) => swept(sessions),
    reply: ["runner 21 of key 2: silent", "runner 22 of key 2: done", "runner 32 of key 3: done", "runner 42 of key 4: done"],
    changes: [
      "runner 21: state=gone",
      "runner 22: state=gone stopped=true",
      "runner 32: state=gone stopped=true",
      "runner 42: state=gone stopped=true"
    ]
  },
  {
    title: "a drained runner with a review only is not gone",
    rows: [review(1, 1, 12, true), review(2, 2, 22, false)],
    act: ({ sessions }) => swept(sessions),
    reply: ["runner 22 of key 2: done", "runner 32 of key 3: done", "runner 42 of key 4: done"],
    changes: ["runner 22: state=gone stopped=true", "runner 32: state=gone stopped=true", "runner 42: state=gone stopped=true"]
  },
  {
    title: "a drained runner that plays a match again is not gone",
    rows: PLAYED_AGAIN,
    act: ({ sessions }) => swept(sessions),
    reply: ["runner 22 of key 2: done", "runner 32 of key 3: done", "runner 42 of key 4: done"],
    changes: ["runner 22: state=gone stopped=true", "runner 32: state=gone stopped=true", "runner 42: state=gone stopped=true"]
  },
  {
    title: "a match that a drained runner plays again is its own; one that it gave back, and one of others, is not",
    rows: [
      ...PLAYED_AGAIN,
      audit(11, { season: 1, runner: 11, state: "leased", until: AGO }),
      audit(10, { season: 1, runner: 11, state: "waiting" })
    ],
    act: drain(11, 1),
    reply: { fresh: true, leases: 1 },
    changes: ["runner 11: state=draining"]
  },
  {
    title: "a runner is drained by its own fleet",
    rows: WORK,
    act: drain(11, 1),
    reply: { fresh: true, leases: 2 },
    changes: ["runner 11: state=draining"]
  },
  {
    title: "work that a drained runner gave back, and that of others, is not its own",
    rows: [review(1, 1, 12, true), review(2, 2, 11, false)],
    act: drain(11, 1),
    reply: { fresh: true, leases: 0 },
    changes: ["runner 11: state=draining"]
  },
  {
    title: "a runner of the platform is drained by the platform",
    act: drain(PLATFORM * 10 + 1, null),
    reply: { fresh: true, leases: 0 },
    changes: ["runner 31: state=draining"]
  },
  {
    title: "a runner is not drained by another fleet",
    act: drain(11, 2),
    reply: null,
    changes: []
  },
  {
    title: "a gone runner is not drained",
    act: drain(13, 1),
    reply: null,
    changes: []
  }
]

const VOIDING: ReadonlyArray<Case> = [
  {
    title: "a runner is flagged",
    act: ({ voiding }) => voiding.flag({ runner: RUNNER, now: NOW }),
    reply: [{ key_id: "key 1", name: "r", fresh: true }],
    changes: ["runner 11: state=draining stopped=true flagged_at=2026-03-01T12:00:00+00:00"]
  },
  {
    title: "a runner is flagged once",
    rows: [`UPDATE runner SET flagged_at = '${AGO}'`],
    act: ({ voiding }) => voiding.flag({ runner: RUNNER, now: NOW }),
    reply: [{ key_id: "key 1", name: "r", fresh: false }],
    changes: ["runner 11: state=draining stopped=true"]
  },
  {
    title: "a key of which three runners were flagged within a day is stopped",
    rows: [...FLAGGED, ...THIRD, `UPDATE runner SET stopped = true, state = 'active' WHERE id = '${id("runner", 16)}'`],
    act: ({ voiding }) => voiding.stopKey({ key: KEY, now: NOW }),
    changes: [
      "runner 11: state=draining stopped=true",
      "runner 12: stopped=true",
      "runner 13: stopped=true",
      "runner 14: stopped=true",
      "runner 15: stopped=true",
      "runner 17: stopped=true"
    ]
  },
  {
    title: "a key of which two were flagged within a day is not stopped",
    rows: [...FLAGGED, THIRD[1]!],
    act: ({ voiding }) => voiding.stopKey({ key: KEY, now: NOW }),
    changes: []
  },
  {
    title: "the service's own key is never stopped",
    rows: [4, 5, 6].map((n) => runner(OWN * 10 + n, { key: OWN, state: "gone", flagged: AGO })),
    act: ({ voiding }) => voiding.stopKey({ key: id("key", OWN), now: NOW }),
    changes: []
  }
]

/** Audits of both seasons: leased by both runners of their key, waiting, and done. */
const HELD: ReadonlyArray<string> = [1, 2].flatMap((season) =>
  [
    { state: "leased", runner: season * 10 + 1, until: AGO },
    { state: "leased", runner: season * 10 + 2, until: LATER.toISOString() },
    { state: "leased", runner: season * 10 + 1, until: LATER.toISOString() },
    { state: "done", runner: season * 10 + 1, until: AGO },
    { state: "waiting", until: AGO }
  ].map((row, i) => audit(season * 10 + i, { season, ...(row as { state: "leased" }) }))
)
const FIRST = id("audit", 10)
const ROW = { id: FIRST, lease_n: 3 } as any
const RENEWAL = { lease_n: 3, key: KEY, leased_at: NOW, until: LATER }

const AUDITS: ReadonlyArray<Case> = [
  {
    title: "a lease is extended that the key holds",
    rows: HELD,
    act: ({ audits }) => audits.extend({ ...RENEWAL, id: FIRST }),
    reply: [{ id: "audit 10" }],
    changes: ["match_audit audit 10: until=2026-03-01T12:10:00+00:00 leased_at=2026-03-01T12:00:00+00:00"]
  },
  ...Object.entries({
    "an older lease": { ...RENEWAL, id: FIRST, lease_n: 2 },
    "another key's": { ...RENEWAL, id: FIRST, key: id("key", 2) },
    "a lease of an audit that is done": { ...RENEWAL, id: id("audit", 13) }
  }).map(
    ([what, renewal]): Case => ({
      title: `${what} is not extended`,
      rows: HELD,
      act: ({ audits }) => audits.extend(renewal),
      changes: []
    })
  ),
  {
    title: "an audit is given back",
    rows: HELD,
    act: ({ audits }) => audits.giveBack({ id: FIRST, key: KEY, lease_n: 3 }),
    changes: ["match_audit audit 10: state=waiting runner_id=null"]
  },
  {
    title: "an audit is not given back under an older lease",
    rows: HELD,
    act: ({ audits }) => audits.giveBack({ id: FIRST, key: KEY, lease_n: 2 }),
    changes: []
  },
  {
    title: "an audit is not given back by another key",
    rows: HELD,
    act: ({ audits }) => audits.giveBack({ id: FIRST, key: id("key", 2), lease_n: 3 }),
    changes: []
  },
  {
    title: "an audit that is done is not given back",
    rows: HELD,
    act: ({ audits }) => audits.giveBack({ id: id("audit", 13), key: KEY, lease_n: 3 }),
    changes: []
  },
  {
    title: "all that a key holds is given back",
    rows: HELD,
    act: ({ audits }) => audits.giveBackAll(KEY),
    changes: [
      "match_audit audit 10: state=waiting runner_id=null",
      "match_audit audit 11: state=waiting runner_id=null",
      "match_audit audit 12: state=waiting runner_id=null"
    ]
  },
  {
    title: "leases that a runner does not name are given back",
    rows: HELD,
    act: ({ audits }) => audits.keepOnly(RUNNER, [`${id("audit", 12)}.3`, `${FIRST}.2`]),
    changes: ["match_audit audit 10: state=waiting runner_id=null"]
  },
  {
    title: "a mismatch is noted, and a second opinion asked for",
    rows: HELD,
    act: ({ audits }) => audits.mismatch(ROW, RUNNER, "sha256:other"),
    changes: ["match_audit audit 10: state=waiting runner_id=null doubter_id=runner 11 doubter_key=key 1 doubter_sha256=sha256:other"]
  },
  {
    title: "a mismatch under an older lease is not noted",
    rows: HELD,
    act: ({ audits }) => audits.mismatch({ ...ROW, lease_n: 2 }, RUNNER, "sha256:other"),
    changes: []
  },
  {
    title: "a mismatch by another runner than the one that holds the audit is not noted",
    rows: HELD,
    act: ({ audits }) => audits.mismatch(ROW, id("runner", 12), "sha256:other"),
    changes: []
  },
  {
    title: "a mismatch of an audit that is done is not noted",
    rows: HELD,
    act: ({ audits }) => audits.mismatch({ ...ROW, id: id("audit", 13) }, RUNNER, "sha256:other"),
    changes: []
  },
  {
    title: "an audit is settled",
    rows: HELD,
    act: ({ audits }) => audits.settle(FIRST, "same"),
    changes: ["match_audit audit 10: state=done verdict=same"]
  },
  {
    title: "leases that ran out go back",
    rows: HELD,
    act: ({ audits }) => audits.lapse(NOW),
    changes: ["match_audit audit 10: state=waiting", "match_audit audit 20: state=waiting"]
  }
]

const AHEAD = "2026-03-01T14:00:00Z"
const progress = (season: number, ended_at: string) =>
  `INSERT INTO match_check (season_id, ended_at, match_id) VALUES ('${id("season", season)}', '${ended_at}', '${match(1)}')`

const CHECKS: ReadonlyArray<Case> = [
  {
    title: "a match is put down for an audit once",
    rows: [audit(1, { season: 1 })],
    act: ({ checks }) => checks.toAudit({ id: id("audit", 9), match_id: match(1), season_id: ONE, created_at: NOW }),
    changes: []
  },
  {
    title: "a season's check moves on",
    rows: [1, 2].map((n) => progress(n, AGO)),
    act: ({ checks }) => checks.checked({ ended_at: NOW, id: match(2) }, ONE),
    changes: ["match_check season 1: ended_at=2026-03-01T12:00:00+00:00 match_id=match 2"]
  },
  {
    title: "a check that is ahead of the clock is put back",
    rows: [progress(1, AHEAD), progress(2, AGO)],
    act: ({ checks }) => checks.putBack({ ahead_of: NOW, until: new Date(AGO) }),
    changes: ["match_check season 1: ended_at=2026-03-01T10:00:00+00:00 match_id=00000000-0000-0000-0000-000000000000"]
  },
  {
    title: "a check that is complete is not put back",
    rows: [progress(1, AHEAD), "UPDATE match_check SET complete = true"],
    act: ({ checks }) => checks.putBack({ ahead_of: NOW, until: new Date(AGO) }),
    changes: []
  }
]

export const CASES: ReadonlyArray<Case> = [...KEYS, ...SESSIONS, ...VOIDING, ...TAKES, ...AUDITS, ...CHECKS]
