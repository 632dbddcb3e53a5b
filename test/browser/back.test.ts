/** Forms that a visitor goes back to in a real browser, where the words stand as they were typed, and sends again. */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { missingChromium } from "../support/Chromium.ts"
import * as Fixture from "../support/Fixture.ts"
import { publicAddress, siteAnswers } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"
import { Browser } from "./Browser.ts"
import { press } from "./clicks.ts"

const service = SiteService.layerFixture
const all = Layer.effectDiscard(siteAnswers).pipe(Layer.provideMerge(service), Layer.provideMerge(Browser.layer))

const missing = missingChromium()
if (missing !== undefined) it.skip(`forms that are gone back to: ${missing}`, () => {})
else
  layer(all, { excludeTestServices: true, timeout: "240 seconds" })("a form that is gone back to, and sent again", (it) => {
    it.effect("makes no second comment and no second notice: both lead to the first", () =>
      Effect.gen(function* () {
        const { origin } = yield* Service.Service
        const chromium = yield* Browser
        const sql = yield* SqlClient.SqlClient
        const cookie = { name: "service_session", value: "root-token", path: "/", domain: new URL(origin).hostname, expires: -1 }
        for (const [path, label, table, column] of [
          [`/me/comments?model=${Fixture.modelIds.alpha}`, "Comment", "comment", "body"],
          ["/games/snakes/seasons/spring/admin/notices", "Subject", "notice", "subject"]
        ] as const) {
          const said = `${label} gone back to`
          const watched = yield* Effect.promise(() =>
            chromium.open(`${origin}${path}`, {
              javaScriptEnabled: false,
              extraHTTPHeaders: { "x-forwarded-for": publicAddress() },
              storageState: { cookies: [{ ...cookie, httpOnly: true, secure: false, sameSite: "Lax" }], origins: [] }
            })
          )
          const { page } = watched
          const field = page.getByLabel(label, { exact: true })
          const led = yield* Effect.promise(async () => {
            await field.fill(said)
            assert.strictEqual(await press(page, "Send"), 303)
            const first = page.url()
            await page.goBack()
            assert.strictEqual(await field.inputValue(), said, "the browser keeps what was typed")
            assert.strictEqual(await press(page, "Send"), 303)
            return [first, page.url()]
          })
          assert.strictEqual(led[1], led[0])
          const rows = yield* sql`SELECT id FROM ${sql.literal(table)} WHERE ${sql.literal(column)} = ${said}`
          assert.lengthOf(rows, 1, `${path} was sent twice`)
          yield* Effect.promise(() => watched.close())
        }
      })
    )
  })
