/** Writes of submissions, versions and the administration of seasons. */
import { Effect, Option } from "effect"
import { id } from "../../support/SeasonScript.ts"
import { NOW } from "./ground.ts"
import type { Case, Stores } from "./Trial.ts"

const ONE = id("season", 1)
/** The participants of season 1 are owners 257 and 258, those of season 2 are 513 and 514. */
const PARTICIPANT = id("owner", 257)

/** Later uses of other logins, and of the same ones elsewhere. */
const OTHERS = [
  `INSERT INTO identity (provider, subject, account_id, login, created_at)
    SELECT p, 'later' || n, '${id("owner", 3)}', CASE p WHEN 'git' THEN 'another' ELSE 'login' END || n, '${NOW.toISOString()}'
    FROM unnest('{git,else}'::text[]) p, generate_series(1, 2) n`
]

const nameIn = Option.match({ onNone: () => null, onSome: ({ username }: { readonly username: string | null }) => username })
const remove =
  (season_id: string, participant: string) =>
  ({ people }: Stores) =>
    Effect.map(people.removeParticipant({ season_id, id: participant }), nameIn)

const restricted = (...seasons: ReadonlyArray<number>): ReadonlyArray<string> =>
  seasons.map((n) => `UPDATE season SET entry = 'restricted' WHERE id = '${id("season", n)}'`)
const closed = (n: number): string => `UPDATE season SET closed_at = now() WHERE id = '${id("season", n)}'`
const ofRoster =
  (season: number) =>
  ({ ownerChecks }: Stores) =>
    ownerChecks.ofRoster(id("season", season), "git", ["login1"])

const orders = [1, 2].map(
  (n) =>
    `INSERT INTO void_order VALUES ('${id("version", n)}', '${id("season", n)}', '${id("owner", n)}', 'because', '${NOW.toISOString()}')`
)

/** Questions to seasons about an owner whose right to take part may have changed, and voids that are to be made. */
const ORDERS: ReadonlyArray<Case> = [
  {
    title: "a season is asked about who uses the login at that provider",
    rows: [...restricted(1, 2), ...OTHERS],
    act: ofRoster(1),
    changes: ["+ owner_check season 1 owner 1"]
  },
  { title: "an open season is asked about nobody on its roster", act: ofRoster(1), changes: [] },
  { title: "a closed season is asked about nobody on its roster", rows: [...restricted(1), closed(1)], act: ofRoster(1), changes: [] },
  {
    title: "the open seasons are asked about an account",
    rows: [closed(3)],
    act: ({ ownerChecks }) => ownerChecks.ofAccount(id("owner", 1)),
    changes: ["+ owner_check season 1 owner 1", "+ owner_check season 2 owner 1", "+ owner_check season 4 owner 1"]
  },
  {
    title: "an answered check is gone",
    rows: [1, 2].map((n) => `INSERT INTO owner_check VALUES ('${id("version", n)}', '${id("season", n)}', '${id("owner", n)}')`),
    act: ({ ownerChecks }) => ownerChecks.done(id("version", 1)),
    changes: ["- owner_check season 1 owner 1"]
  },
  {
    title: "an order to void that was carried out is gone",
    rows: orders,
    act: ({ voidOrders }) => voidOrders.done({ version_id: id("version", 1), created_at: NOW }),
    changes: ["- void_order version 1"]
  },
  {
    title: "an order to void that took the place of the one that was carried out stays",
    rows: orders,
    act: ({ voidOrders }) => voidOrders.done({ version_id: id("version", 1), created_at: new Date(NOW.getTime() - 1) }),
    changes: []
  },
  {
    title: "an order to void is dropped with the reinstatement of its version",
    rows: orders,
    act: ({ voidOrders }) => voidOrders.drop(id("version", 1)),
    changes: ["- void_order version 1"]
  },
  {
    title: "an order to void stays while its version is disqualified",
    rows: [...orders, `UPDATE version SET disqualified = true WHERE id = '${id("version", 1)}'`],
    act: ({ voidOrders }) => voidOrders.drop(id("version", 1)),
    changes: []
  }
]

export const CASES: ReadonlyArray<Case> = [
  ...ORDERS,
  {
    title: "the next number of a model is taken",
    act: ({ submission }) => submission.nextNumber(id("model", 1)),
    reply: { number: 1, retired: false },
    changes: ["model 1: last_number=1"]
  },
  { title: "a note is set", act: ({ versions }) => versions.setNote(id("version", 1), "new"), changes: ["version 1: note=new"] },
  { title: "a season is narrowed", act: ({ administration }) => administration.narrow(ONE), changes: ["season 1: entry=restricted"] },
  {
    title: "a game's featured season is no longer",
    act: ({ administration }) => administration.unfeature("snakes"),
    changes: ["season 1: featured=false"]
  },
  {
    title: "a season is featured",
    rows: ["UPDATE season SET featured = false"],
    act: ({ administration }) => administration.feature(id("season", 2)),
    changes: ["season 2: featured=true"]
  },
  {
    title: "administrators are appointed by their names",
    act: ({ creation }) => Effect.map(creation.appoint(id("season", 3), ["owner1", "owner3"], NOW), (rows) => rows.length),
    reply: 2,
    changes: ["+ season_admin season 3 owner 1", "+ season_admin season 3 owner 3"]
  },
  ...[1, 2].map((n) => ({
    title: `participant ${n} is removed, and named after the account that uses the login at the same provider`,
    rows: OTHERS,
    act: remove(ONE, id("owner", 256 + n)),
    reply: `owner${n}`,
    changes: [`- participant owner ${256 + n}`]
  })),
  {
    title: "a participant of another season is not removed",
    act: remove(id("season", 2), PARTICIPANT),
    reply: null,
    changes: []
  },
  {
    title: "an administrator is dismissed",
    act: ({ people }) => Effect.map(people.dismiss({ season_id: ONE, username: "owner1" }), nameIn),
    reply: "owner1",
    changes: ["- season_admin season 1 owner 1"]
  },
  {
    title: "an administrator is appointed once",
    act: ({ people }) => Effect.map(people.appoint({ season_id: ONE, account_id: id("owner", 1), now: NOW }), Option.isSome),
    reply: false,
    changes: []
  }
]
