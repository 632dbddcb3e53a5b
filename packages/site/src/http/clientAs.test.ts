import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { makeClientAs } from "./clientAs.ts"
import { statusOf } from "./Fault.ts"

it.effect("pages of different visitors use one client at one time, each with its own session, and what is no visitor's has none", () =>
  Effect.gen(function* () {
    const sent: Array<string | undefined> = []
    const both = yield* Deferred.make<void>()
    const http = HttpClient.make((request) => {
      sent.push(request.headers["cookie"])
      if (sent.length === 2) Deferred.doneUnsafe(both, Effect.void)
      const answer = new Response(JSON.stringify([]), { headers: { "content-type": "application/json" } })
      return Effect.as(Deferred.await(both), HttpClientResponse.fromWeb(request, answer))
    })
    const as = yield* Effect.provideService(makeClientAs("http://service"), HttpClient.HttpClient, http)
    const clients: Array<unknown> = []
    const page = (session: string) =>
      as({ session }, (client) => {
        clients.push(client)
        return Effect.andThen(client.game.games(), client.game.games())
      })
    yield* Effect.all([page("ada"), page("bob")], { concurrency: "unbounded" })
    yield* as(undefined, (client) => client.game.games())
    yield* as({ visit: { headers: { cookie: "a=b; service_session=eve", origin: "http://here" } } }, (client) => client.game.games())
    const cookies = ["ada", "bob"].map((name) => `service_session=${name}`)
    assert.deepStrictEqual(sent.slice(0, 2), cookies)
    assert.sameMembers(sent.slice(2, 4) as Array<string>, cookies)
    assert.deepStrictEqual(sent.slice(4), [undefined, "service_session=eve"])
    assert.strictEqual(new Set(clients).size, 1)
  })
)

it.effect("an id of a form that no path can have is refused as one that names nothing, and nothing is sent", () =>
  Effect.gen(function* () {
    const http = HttpClient.make(() => Effect.die(new Error("nothing is sent")))
    const as = yield* Effect.provideService(makeClientAs("http://service"), HttpClient.HttpClient, http)
    for (const id of [".", ".."]) {
      const of = { game: "snakes", slug: "spring" }
      const refused = yield* Effect.flip(
        as({ session: "ada" }, (client) => client.seasonWebhook.removeSeasonWebhook({ params: { ...of, id } }))
      )
      assert.strictEqual(statusOf(refused), 404, id)
    }
    const broken = yield* Effect.exit(as({ session: "ada" }, () => Effect.die(new Error("broken"))))
    assert.deepStrictEqual(broken, Exit.die(new Error("broken")))
  })
)
