/**
 * The people of a season, its roster and its administrators: plain rows, each write with its log row in one
 * transaction. No cached answer shows a roster or depends on the caller, so there is nothing to purge; roles
 * are read with every request. Entries in play follow their owner on and off the roster (OwnerChecks.ts), runner keys
 * whoever made them out of office and back (runner/key/makersKeysLayer.ts).
 */

import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import { NotFound } from "@agon/api/Problem.ts"
import type { Participant, Participants, SeasonAdministrator, SeasonAdministrators } from "@agon/api/season/people.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { MakersKeys } from "../account/MakersKeys.ts"
import { auditOf, makeAuditLog, placeOf } from "../audit/auditLog.ts"
import { newId } from "../database/newId.ts"
import { OwnerChecks } from "./OwnerChecks.ts"
import { makeQueries } from "./peopleQueries.ts"

type Write<Body, A, E> = (account: SignedIn, season: SeasonInPath, body: Body) => Effect.Effect<A, E>

/** People by their login names at one provider. */
export interface Logins {
  readonly provider: string
  readonly logins: ReadonlyArray<string>
}

export class SeasonPeople extends Context.Service<
  SeasonPeople,
  {
    /** All of them where `login` is undefined or blank. */
    readonly participants: (season: SeasonInPath, login: string | undefined, page: PageOf) => Effect.Effect<Participants>
    /** Answers the rows of all the logins; people already on the roster are unchanged. */
    readonly add: Write<Logins, { readonly participants: ReadonlyArray<Participant> }, never>
    /** By the row's id. */
    readonly remove: Write<string, Participant, NotFound>
    readonly administrators: (season: SeasonInPath, page: PageOf) => Effect.Effect<SeasonAdministrators>
    /** By username; an administrator appointed again is unchanged. */
    readonly appoint: Write<string, SeasonAdministrator, NotFound>
    readonly dismiss: Write<string, SeasonAdministrator, NotFound>
  }
>()("agon/SeasonPeople") {
  static readonly layer: Layer.Layer<SeasonPeople, never, SqlClient.SqlClient | OwnerChecks | MakersKeys> = Layer.effect(
    SeasonPeople,
    Effect.suspend(() => Effect.all([makeRoster, makeAdministrators])).pipe(
      Effect.map(([roster, administrators]) => ({ ...roster, ...administrators }))
    )
  )
}

/** Each login once, ignoring case. */
const distinct = (logins: ReadonlyArray<string>) => [...new Map(logins.map((login) => [login.toLowerCase(), login])).values()]

const makeRoster = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const checks = yield* OwnerChecks
  const queries = yield* makeQueries

  const participants = Effect.fn("SeasonPeople.participants")(function* (
    { id }: SeasonInPath,
    login: string | undefined,
    { cursor, limit }: PageOf
  ) {
    const part = (login ?? "").trim()
    if (part.includes("\0")) return { participants: [], total: 0, next_cursor: null }
    const rows = yield* queries.participants({ season_id: id, part, limit, offset: cursor })
    const { total } = yield* queries.participantCount({ season_id: id, part })
    return { participants: rows, total, next_cursor: nextCursor(cursor, rows.length, total) }
  }, Effect.orDie)

  const add = Effect.fn("SeasonPeople.add")(function* (account: SignedIn, season: SeasonInPath, named: Logins) {
    const { provider } = named
    const logins = distinct(named.logins)
    const rows = yield* Effect.forEach(logins, (login) => Effect.map(newId, (id) => ({ id, login })))
    const write = queries
      .addParticipants({ season_id: season.id, provider, rows, now: yield* DateTime.nowAsDate })
      .pipe(Effect.tap(checks.ofRoster(season.id, provider, logins)))
    yield* auditLog.logged(placeOf(season), Effect.andThen(checks.lockLogins, write), (added) =>
      added.length === 0
        ? undefined
        : auditOf(account, "participant.add", season.slug, { provider, logins: added.map(({ login }) => login) })
    )
    yield* checks.soon
    return { participants: yield* Effect.orDie(queries.byLogins({ season_id: season.id, provider, logins })) }
  })

  const remove = Effect.fn("SeasonPeople.remove")(function* (account: SignedIn, season: SeasonInPath, id: string) {
    const write = isUuid(id)
      ? Effect.tap(
          queries.removeParticipant({ season_id: season.id, id }),
          Option.match({ onNone: () => Effect.void, onSome: ({ login, provider }) => checks.ofRoster(season.id, provider, [login]) })
        )
      : Effect.succeedNone
    const removed = yield* auditLog.logged(placeOf(season), Effect.andThen(checks.lockLogins, write), (row) =>
      Option.getOrUndefined(
        Option.map(row, ({ login, provider }) => auditOf(account, "participant.remove", season.slug, { provider, login }))
      )
    )
    if (Option.isNone(removed)) return yield* new NotFound({ detail: "The roster has no participant of this id." })
    yield* checks.soon
    return removed.value
  })

  return { participants, add, remove }
})

const makeAdministrators = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const keys = yield* MakersKeys
  const queries = yield* makeQueries

  const administrators = Effect.fn("SeasonPeople.administrators")(function* ({ id }: SeasonInPath, { cursor, limit }: PageOf) {
    const admins = yield* queries.administrators({ season_id: id, limit, offset: cursor })
    const { total } = yield* queries.administratorCount(id)
    return { admins, total, next_cursor: nextCursor(cursor, admins.length, total) }
  }, Effect.orDie)

  /** Tries again where the administrator is dismissed at the same moment. */
  const put = Effect.fnUntraced(function* (row: { readonly season_id: string; readonly account_id: string }) {
    const now = yield* DateTime.nowAsDate
    for (;;) {
      const added = yield* queries.appoint({ ...row, now })
      const found = yield* queries.administrator(row)
      if (Option.isSome(found)) return { administrator: found.value, isNew: Option.isSome(added) }
    }
  })

  const appoint = Effect.fn("SeasonPeople.appoint")(function* (account: SignedIn, season: SeasonInPath, username: string) {
    const found = yield* Effect.orDie(queries.account(username))
    if (Option.isNone(found)) return yield* new NotFound({ detail: `There is no account ${username}.` })
    const write = put({ season_id: season.id, account_id: found.value.id })
    const { administrator } = yield* auditLog.logged(placeOf(season), write, ({ isNew }) =>
      isNew ? auditOf(account, "admin.appoint", username) : undefined
    )
    return administrator
  })

  const dismiss = Effect.fn("SeasonPeople.dismiss")(function* (account: SignedIn, season: SeasonInPath, username: string) {
    const write = Effect.gen(function* () {
      const dismissed = Option.getOrUndefined(yield* queries.dismiss({ season_id: season.id, username }))
      if (dismissed === undefined) return undefined
      const { account_id, ...administrator } = dismissed
      return { administrator, keys: yield* keys.stop(account_id) }
    })
    const dismissed = yield* auditLog
      .logged(placeOf(season), write, (done) => (done === undefined ? undefined : auditOf(account, "admin.dismiss", username)))
      .pipe(
        Effect.tap((done) => keys.stopped(done?.keys ?? [])),
        Effect.uninterruptible
      )
    return dismissed?.administrator ?? (yield* new NotFound({ detail: `${username} does not administer this season.` }))
  })

  return { administrators, appoint, dismiss }
})
