/**
 * Administration of accounts: administrator rights and suspensions.
 *
 * Both are changed under one lock of the whole database, and the acting account must be an administrator once
 * it has the lock. So of two administrators who demote each other the second is refused, and since nobody can
 * change their own rights, at least one administrator is always left. The administrator named by the
 * configuration becomes one again at the next sign-in.
 *
 * A suspension locks the account's row, as a sign-in does: the session of an earlier sign-in is ended with
 * the others, and a later sign-in finds the account suspended. Every request looks up its session in the
 * database, so the next request is refused on every node; requests under way are ended
 * (account/level/Ongoing.ts). The account's entries are out of play until the suspension ends
 * (season/OwnerChecks.ts); its candidates continue.
 *
 * The account's runner keys are out of force while it is suspended or without the office that they need
 * (runner/key/makersKeysLayer.ts).
 */

import { AdminOnly, type SignedIn } from "@agon/api/Authorization.ts"
import { type EditUser, OwnAdmin, type User, type Users as UserPage } from "@agon/api/admin/User.ts"
import { cutTo, oneMoreThan, type PageOf } from "@agon/api/Page.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { Ongoing } from "../account/level/Ongoing.ts"
import { MakersKeys } from "../account/MakersKeys.ts"
import { auditOf, makeAuditLog, nowhere } from "../audit/auditLog.ts"
import { OwnerChecks } from "../season/OwnerChecks.ts"
import { type AccountState, makeQueries } from "./userQueries.ts"

export class Users extends Context.Service<
  Users,
  {
    /** All of them where `q` is undefined or blank. */
    readonly list: (q: string | undefined, page: PageOf) => Effect.Effect<UserPage>
    readonly edit: (account: SignedIn, username: string, change: EditUser) => Effect.Effect<User, NotFound | AdminOnly | OwnAdmin>
    readonly isThere: (username: string) => Effect.Effect<boolean>
  }
>()("agon/Users") {
  static readonly layer: Layer.Layer<Users, never, SqlClient.SqlClient | OwnerChecks | MakersKeys> = Layer.effect(
    Users,
    Effect.suspend(() => makeUsers)
  )
}

/** The database cannot store this character, so no account has such a name. */
const isName = (text: string) => !text.includes("\0")

/** The fields that the edit changes. */
const changesOf = (held: AccountState, { admin = held.admin, suspended = held.suspended }: EditUser): EditUser => ({
  ...(admin === held.admin ? {} : { admin }),
  ...(suspended === held.suspended ? {} : { suspended })
})

const makeEdit = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const checks = yield* OwnerChecks
  const ongoing = yield* Ongoing
  const queries = yield* makeQueries
  const keys = yield* MakersKeys

  /** Answers the account and the fields that have changed. */
  const write = Effect.fnUntraced(function* (account: SignedIn, username: string, change: EditUser) {
    yield* queries.lockOffice()
    const own = Option.getOrUndefined(yield* queries.stateOf(account.id))
    if (own === undefined || !own.admin || own.suspended)
      return yield* new AdminOnly({ detail: "You are no platform administrator any more." })
    const held = yield* queries.hold(username)
    if (Option.isNone(held)) return yield* new NotFound({ detail: "There is no account of this name." })
    const changes = changesOf(held.value, change)
    if (held.value.id === own.id && (changes.admin === false || changes.suspended === true))
      return yield* new OwnAdmin({ detail: "Another administrator has to do this." })
    yield* queries.set({ ...held.value, ...changes })
    if (changes.suspended !== undefined) yield* checks.ofAccount(held.value.id)
    if (changes.suspended === true) yield* queries.endSessions(held.value.id)
    const stopped = changes.suspended === true || changes.admin === false ? yield* keys.stop(held.value.id) : []
    return { id: held.value.id, changes, stopped }
  })

  return Effect.fn("Users.edit")(function* (account: SignedIn, username: string, change: EditUser) {
    yield* auditLog
      .logged(nowhere, write(account, username, change), ({ changes }) =>
        Object.keys(changes).length === 0 ? undefined : auditOf(account, "user.edit", username, changes)
      )
      .pipe(
        Effect.tap(({ changes, id }) => (changes.suspended === true ? ongoing.end(id) : Effect.void)),
        Effect.tap(({ stopped }) => keys.stopped(stopped)),
        Effect.tap(({ changes }) => (changes.suspended === undefined ? Effect.void : checks.soon)),
        Effect.uninterruptible
      )
    return yield* Effect.orDie(queries.user(username))
  })
})

const makeUsers = Effect.gen(function* () {
  const queries = yield* makeQueries

  const list = Effect.fn("Users.list")(function* (q: string | undefined, page: PageOf) {
    const start = (q ?? "").trim()
    if (!isName(start)) return { users: [], next_cursor: null }
    const asked = oneMoreThan(page)
    const { next_cursor, shown } = cutTo(page, yield* start === "" ? queries.newest(asked) : queries.found({ ...asked, start }))
    return { users: shown, next_cursor }
  }, Effect.orDie)

  const isThere = (username: string) =>
    isName(username) ? Effect.map(Effect.orDie(queries.named(username)), Option.isSome) : Effect.succeed(false)

  return Users.of({ list, edit: yield* makeEdit, isThere })
})
