/**
 * Entries of accounts that are taken off a roster or suspended, and of those that come back
 * (docs/contract.md#disqualification).
 */
import { OwnerChecks } from "@agon/server/season/OwnerChecks.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as A from "../support/Administration.ts"
import { eventually } from "../support/eventually.ts"
import * as SmallWorld from "../support/SmallWorld.ts"

const { patch, post, read, remove, rows } = A

/** The status of a version, as soon as the season's part is done. */
const becomes = (version: string, status: string) =>
  Effect.gen(function* () {
    const { look } = yield* OwnerChecks
    const is = Effect.map(Effect.andThen(look, read(`/v1/versions/${version}`)), ({ json }) => json.status === status)
    yield* eventually(`the version is ${status}`, is)
    yield* eventually(
      "no check is left",
      Effect.map(Effect.andThen(look, rows`SELECT 1 FROM owner_check`), (left) => left.length === 0)
    )
  })
const onLadder = (slug: string, version: string) =>
  Effect.map(read(`/v1/games/snakes/leaderboard?season=${slug}`), ({ json }) =>
    json.entries.find(({ version_id }: any) => version_id === version)
  )
const suspend = (username: string, suspended: boolean) => patch(`/v1/admin/users/${username}`, { suspended })

layer(A.layer, A.options)("an owner who may not take part any more", (it) => {
  it.effect("takes the entries along, from every season while suspended and from one with the roster, and brings them back", () =>
    Effect.gen(function* () {
      const { adder, boa, cobra, one } = yield* SmallWorld.world
      const [was] = [yield* onLadder("one", adder.version)]
      assert.deepInclude((yield* suspend("ada", true)).json, { suspended: true })
      for (const [slug, { version }] of [["one", adder] as const, ["two", cobra] as const]) {
        yield* becomes(version, "disqualified")
        assert.isUndefined(yield* onLadder(slug, version))
      }
      assert.isDefined(yield* onLadder("one", boa.version), "nobody else's")
      assert.lengthOf(yield* rows`SELECT 1 FROM live WHERE until IS NULL AND ${adder.version}::uuid = ANY (versions)`, 0)
      yield* suspend("ada", false)
      yield* becomes(adder.version, "entered")
      yield* becomes(cobra.version, "entered")
      const { deviation, matches, rating } = was
      assert.deepInclude(yield* onLadder("one", adder.version), { deviation, matches, rating }, "with the rating that it had")

      // In a season of an open entry the roster says nothing.
      const add = (logins: ReadonlyArray<string>) => post(A.urlOf("one", "/participants"), { logins })
      const rowOf = (login: string) =>
        Effect.map(read(A.urlOf("one", "/participants")), ({ json }) => json.participants.find((row: any) => row.login === login).id)
      yield* add(["Ada", "Bob"])
      yield* remove(A.urlOf("one", "/participants"), { id: yield* rowOf("Ada") })
      assert.lengthOf(yield* rows`SELECT 1 FROM owner_check`, 0)
      yield* rows`UPDATE season SET entry = 'restricted' WHERE id = ${one.id}`
      yield* add(["ADA"])
      yield* remove(A.urlOf("one", "/participants"), { id: yield* rowOf("ADA") })
      yield* becomes(adder.version, "disqualified")
      assert.strictEqual((yield* read(`/v1/versions/${cobra.version}`)).json.status, "entered", "in another season nothing changes")
      assert.match((yield* rows<any>`SELECT reject_detail FROM version WHERE id = ${adder.version}`)[0]!.reject_detail, /roster/)

      // Suspended besides: back on the roster it stays out until the suspension ends, too.
      yield* suspend("ada", true)
      yield* becomes(cobra.version, "disqualified")
      yield* add(["ada"])
      yield* becomes(adder.version, "disqualified")
      yield* suspend("ada", false)
      yield* becomes(adder.version, "entered")
      yield* becomes(cobra.version, "entered")
      const statuses = yield* rows`SELECT owner_removed FROM version WHERE owner_removed OR status = 'disqualified'`
      assert.lengthOf(statuses, 0)
    })
  )

  it.effect("is asked about again where the service died before the season was told", () =>
    Effect.gen(function* () {
      const [entry] = yield* rows<{ id: string; owner_id: string; season_id: string }>`
        SELECT v.id, v.owner_id, v.season_id FROM version v JOIN model m ON m.id = v.model_id WHERE m.name = 'Boa'`
      yield* rows`UPDATE account SET suspended = true WHERE id = ${entry!.owner_id}`
      yield* rows`INSERT INTO owner_check (id, season_id, account_id) VALUES (gen_random_uuid(), ${entry!.season_id}::uuid, ${entry!.owner_id}::uuid)`
      yield* becomes(entry!.id, "disqualified")
    })
  )
})
