/** Audits that runners ask for: which of them a key gets. */
import { Effect } from "effect"
import { id } from "../../support/SeasonScript.ts"
import { audit, NOW, OWN, PLATFORM, played } from "./ground.ts"
import type { Case } from "./Trial.ts"

const LATER = new Date("2026-03-01T12:10:00Z")
const AGO = "2026-03-01T10:00:00Z"

/** Audits that a runner of the platform asks for; it gets the last four. */
const DUE = [11, 12, 14, 16]
const JUST_NOW = "2026-03-01T11:59:30Z"
const TAKEN: ReadonlyArray<string> = [
  `UPDATE season SET closed_at = '${AGO}' WHERE id = '${id("season", 4)}'`,
  ...[
    played(1, { season: 1, key: PLATFORM }),
    played(2, { season: 1, status: "cancelled" }),
    played(3, { season: 1, runtime: "another" }),
    played(4, { season: 4 }),
    played(5, { season: 1, engine: "sha256:another" }),
    ...[6, 7, 8, 10, ...DUE].map((n) => played(n, { season: n % 2 === 0 ? 1 : 2 }))
  ],
  ...[1, 2, 3, 5].map((n) => audit(n, { season: 1 })),
  audit(4, { season: 4 }),
  audit(6, { season: 1, state: "done" }),
  audit(7, { season: 2, state: "leased", runner: 21 }),
  audit(8, { season: 1, doubter: PLATFORM * 10 + 3 }),
  audit(11, { season: 2, doubter: 11 }),
  audit(12, { season: 1 }),
  audit(10, { season: 1, runner: PLATFORM * 10 + 2, until: JUST_NOW }),
  audit(14, { season: 1, runner: PLATFORM * 10 + 2, until: AGO }),
  audit(16, { season: 1, runner: 11, until: JUST_NOW })
]

const take = (runner: number, season: number | null, since: Date, platform_since = new Date(AGO)): Case["act"] => {
  const times = { now: NOW, until: LATER, since, platform_since }
  const asked = { runner: id("runner", runner), key: id("key", Math.floor(runner / 10)), ...times, limit: 100 }
  return ({ audits }) =>
    Effect.map(audits.take({ ...asked, season_id: season === null ? null : id("season", season) }), (rows) =>
      rows.map(({ id, rules, versions }) => `${id}: ${versions.length} of ${versions[0]}, ${rules.max_turns} turns`).sort()
    )
}

/** The row of an audit that the runner gets; `fresh`: another key had it before, or none. */
const leased = (n: number, runner: number, fresh = true) =>
  `match_audit audit ${n}: state=leased until=2026-03-01T12:10:00+00:00 ${fresh ? `key_id=key ${Math.floor(runner / 10)} ` : ""}lease_n=4 leased_at=2026-03-01T12:00:00+00:00 runner_id=runner ${runner}`

const BY_ITSELF = `UPDATE season SET fleet = '{"matches": "own", "admissions": "own"}' WHERE id = '${id("season", 1)}'`

export const TAKES: ReadonlyArray<Case> = [
  {
    title: "audits are taken that another key has played, with the same runtime and engine, in an open season",
    rows: TAKEN,
    act: take(PLATFORM * 10 + 1, null, LATER),
    reply: DUE.map((n) => `audit ${n}: 2 of version ${n === 11 ? 2 : 1}, 500 turns`),
    changes: DUE.map((n) => leased(n, PLATFORM * 10 + 1, n !== 14))
  },
  {
    title: "the service's own runner takes those it has played, when nobody else came",
    rows: [played(1, { season: 1, key: OWN }), audit(1, { season: 1 })],
    act: take(OWN * 10 + 1, null, LATER),
    reply: ["audit 1: 2 of version 1, 500 turns"],
    changes: [leased(1, 41)]
  },
  {
    title: "and not before",
    rows: [played(1, { season: 1, key: OWN }), audit(1, { season: 1 })],
    act: take(OWN * 10 + 1, null, new Date(AGO)),
    changes: []
  },
  {
    title: "a season's fleet takes audits of its season alone, and none that the platform's has to do with",
    rows: [
      ...[1, 2].flatMap((n) => [played(n, { season: n, key: 2 }), audit(n, { season: n })]),
      ...[played(3, { season: 1, key: PLATFORM }), audit(3, { season: 1 })],
      ...[played(4, { season: 1, key: 2 }), audit(4, { season: 1, doubter: PLATFORM * 10 + 1 })]
    ],
    act: take(11, 1, LATER, LATER),
    reply: ["audit 1: 2 of version 1, 500 turns"],
    changes: [leased(1, 11)]
  },
  {
    title: "and not before the platform's had its time, where they play there too",
    rows: [played(1, { season: 1, key: 2 }), audit(1, { season: 1 })],
    act: take(11, 1, LATER),
    changes: []
  },
  {
    title: "and at once where it plays alone",
    rows: [BY_ITSELF, played(1, { season: 1, key: 2 }), audit(1, { season: 1 })],
    act: take(11, 1, LATER),
    reply: ["audit 1: 2 of version 1, 500 turns"],
    changes: [leased(1, 11)]
  },
  {
    title: "a season that is played by its own fleet gives the platform none",
    rows: [BY_ITSELF, ...[1, 2].flatMap((n) => [played(n, { season: n, key: OWN }), audit(n, { season: n })])],
    act: take(PLATFORM * 10 + 1, null, LATER),
    reply: ["audit 2: 2 of version 2, 500 turns"],
    changes: [leased(2, 31)]
  }
]
