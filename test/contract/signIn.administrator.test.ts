/** Whom AGON_ADMIN makes an administrator where a login changes hands at the provider. */
import { migrations } from "@agon/server/database/migrations/index.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { Browser } from "../support/Browser.ts"
import * as Service from "../support/SignInService.ts"
import { signInThrough } from "../support/StubProvider.ts"

const warned: Array<string> = []
const log = Logger.make<unknown, void>(({ logLevel, message }) => void (logLevel === "Warn" && warned.push(String(message))))

layer(Service.layer(undefined, { provider: "openid", login: "Chief" }, log), { excludeTestServices: true })("AGON_ADMIN", (it) => {
  /** The account of whoever has this subject and login at the provider. */
  const enter = (sub: string, login: string) =>
    Effect.gen(function* () {
      const { openid, origin } = yield* Service.SignInService
      openid.says.profile = () => ({ sub, login })
      return yield* Effect.promise(async () => {
        const browser = new Browser()
        await signInThrough("openid", browser, origin, login)
        return JSON.parse((await browser.request(`${origin}/v1/me`)).text)
      })
    })

  it.effect("makes nobody an administrator who has the login from somebody else, even if that one came back under another", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.isTrue((yield* enter("first", "Chief")).admin)
      assert.isFalse((yield* enter("early", "CHIEF")).admin)
      assert.isTrue((yield* enter("first", "retired")).admin, "an administrator stays one under another login")
      warned.length = 0
      const stranger = yield* enter("second", "chief")
      assert.isFalse(stranger.admin)
      assert.lengthOf(warned, 1)
      for (const said of ["AGON_ADMIN", "openid:chief", "second", stranger.id]) assert.include(warned[0], said)
      yield* sql`UPDATE account SET admin = false WHERE id IN (SELECT account_id FROM identity WHERE subject = 'first')`
      assert.isFalse((yield* enter("second", "chief")).admin, "where no administrator is left either")
      assert.isFalse((yield* enter("first", "retired")).admin, "the login counts")
      assert.isTrue((yield* enter("first", "chief")).admin)
    })
  )

  it.effect("is in the audit log where it makes an administrator, once for each time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM audit`
      const { id, username } = yield* enter("first", "chief")
      const log = sql`SELECT actor, action, game, season_id, subject, detail FROM audit`
      assert.deepStrictEqual(yield* log, [], "who was one already was not made one")
      yield* sql`UPDATE account SET admin = false WHERE id = ${id}`
      yield* enter("first", "chief")
      yield* enter("second", "chief")
      const entry = { actor: null, action: "user.edit", game: null, season_id: null, subject: username, detail: { admin: true } }
      assert.deepStrictEqual(yield* log, [entry])
    })
  )

  it.effect("keeps the login for whoever was an administrator with it before a release that remembers", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* enter("first", "chief")
      yield* sql`DROP TABLE admin_login`
      yield* migrations["0050_admin_logins"]
      assert.deepStrictEqual(yield* sql`SELECT * FROM admin_login`, [{ provider: "openid", login: "chief", subject: "first" }])
      assert.isFalse((yield* enter("second", "chief")).admin)
    })
  )
})
