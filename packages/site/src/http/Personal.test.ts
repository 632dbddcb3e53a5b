import type { Client } from "@agon/api/Client.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { html } from "../html/Html.ts"
import { inPublic } from "../html/links.ts"
import { form } from "./form/Form.ts"
import { makeNames } from "./Names.ts"
import { makePersonal } from "./Personal.ts"

const client = { account: { authProviders: () => Effect.succeed([]) } } as unknown as Client
const around = {
  at: inPublic,
  names: makeNames(),
  script: () => html``,
  file: () => "",
  objects: undefined,
  origin: "",
  params: {},
  query: {}
}

const posted = (body: string) =>
  HttpServerRequest.fromWeb(
    new Request("http://localhost/me/settings", {
      method: "POST",
      headers: {
        cookie: `service_session=${"s".repeat(43)}`,
        "content-type": "application/x-www-form-urlencoded",
        "sec-fetch-site": "same-origin"
      },
      body
    })
  )

describe("a form whose calls and page together take too long", () => {
  it.effect("is kept as it was typed, although no single call was given up", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const slow = form({
        name: "slow",
        fields: ["bio"],
        send: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.as(Effect.sleep("5 seconds"), { shown: "done" }))
      })
      const route = {
        path: "/me/settings",
        forms: [slow],
        own: () => Effect.as(Effect.sleep("5 seconds"), { title: "", main: html`` })
      } as const
      const owned = makePersonal({ client, as: (_, use) => use(client) }, yield* Effect.scope)
      const page = yield* Effect.forkChild(owned({ ...around, route, request: posted("form=slow&bio=All+of+it") }))
      yield* Effect.raceFirst(Deferred.await(asked), Fiber.join(page))
      yield* TestClock.adjust("20 seconds")
      const { main, status } = yield* Fiber.join(page)
      assert.strictEqual(status, 503)
      assert.include(String(main), `<input type="hidden" name="bio" value="All of it">`)
    }).pipe(Effect.scoped)
  )
})
