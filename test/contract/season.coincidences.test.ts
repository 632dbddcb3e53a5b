/**
 * Results and networks that agree in a season more than chance allows, as its administrators read it
 * (docs/contract.md#coincidences).
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import { playOneSided } from "../support/oneSided.ts"
import { call } from "../support/Web.ts"

const accountOf = (username: string) =>
  Effect.map(A.rows<{ readonly id: string }>`SELECT id FROM account WHERE username = ${username}`, ([row]) => row!.id)

layer(A.layer, A.options)("coincidences of a season", (it) => {
  it.effect("are pairs of owners of whom one gained more than the ratings say, with the figures, kept for some minutes", () =>
    Effect.gen(function* () {
      const { id, url } = yield* A.season("pairs", { admins: ["ada"] })
      const [ada, bob, root] = yield* Effect.forEach(["ada", "bob", "root"], accountOf)
      yield* playOneSided(id, 10_000, 2_040, [bob!, ada!]) // more than one page
      yield* playOneSided(id, 20_000, 30, [bob!, null])
      yield* playOneSided(id, 30_000, 9, [root!, ada!])
      yield* playOneSided(id, 40_000, 2_000, [root!, ada!]) // the latest page, whose ratings wait
      yield* A.rows`UPDATE seat y SET made_mu = NULL, made_sigma = NULL, made_change = NULL FROM match m WHERE m.id = y.match_id AND m.rated_n >= 40000`
      const { json, status } = yield* A.read(url("/coincidences"), "ada")
      assert.strictEqual(status, 200)
      const { computed_at, pairs, ...rest } = json
      assert.deepStrictEqual(rest, {
        ...{ matches: 2_079, pairs_judged: 1, companions_judged: 0, companions: [], versions_compared: 0, same_weights: [] }
      })
      const [{ chance, ...pair }, ...others] = pairs
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(pair, {
        gainer: "bob",
        giver: "ada",
        matches: 2_040,
        points: 2_040,
        expected_points: 1_020,
        deviations: 45.17
      })
      assert.isBelow(chance, 1e-9)
      yield* A.rows`DELETE FROM seat WHERE season_id = ${id}`
      assert.deepStrictEqual((yield* A.read(url("/coincidences"))).json, json, `still those of ${computed_at}`)
    })
  )

  it.effect("are owners who do worse against everybody else where another sits beside them than elsewhere", () =>
    Effect.gen(function* () {
      const { id, url } = yield* A.season("beside", { admins: ["ada"] })
      const [ada, bob] = yield* Effect.forEach(["ada", "bob"], accountOf)
      yield* playOneSided(id, 60_000, 40, [null, ada!, bob!])
      yield* playOneSided(id, 61_000, 30, [null, null, bob!])
      yield* playOneSided(id, 62_000, 30, [bob!, null, null])
      yield* playOneSided(id, 63_000, 30, [null, null, ada!])
      const { companions, companions_judged } = (yield* A.read(url("/coincidences"), "ada")).json
      assert.strictEqual(companions_judged, 2)
      assert.lengthOf(companions, 1)
      const [{ chance, deviations, ...found }] = companions
      assert.deepStrictEqual(found, { owner: "bob", companion: "ada", matches: 40, share: 0, expected_share: 0.5 })
      assert.isBelow(deviations, -5)
      assert.isBelow(chance, 1e-4)
    })
  )

  it.effect("are judged by the ratings on open, since those of a class of two follow what is given away at once", () =>
    Effect.gen(function* () {
      const { id, url } = yield* A.season("class-of-two", { admins: ["ada"] })
      const [ada, bob] = yield* Effect.forEach(["ada", "bob"], accountOf)
      yield* playOneSided(id, 50_000, 60, [bob!, ada!], "micro")
      const { pairs } = (yield* A.read(url("/coincidences"), "ada")).json
      assert.lengthOf(pairs, 1)
      assert.deepInclude(pairs[0], { gainer: "bob", giver: "ada", matches: 60, points: 60, expected_points: 30 })
    })
  )

  it.effect("are none where nothing was rated, and nobody else reads them", () =>
    Effect.gen(function* () {
      const { url } = yield* A.season("calm", { admins: ["ada"] })
      const { computed_at, ...none } = (yield* A.read(url("/coincidences"), "ada")).json
      assert.match(computed_at, /^\d{4}-.*Z$/)
      assert.deepStrictEqual(none, {
        ...{ matches: 0, pairs_judged: 0, pairs: [], companions_judged: 0, companions: [], versions_compared: 0, same_weights: [] }
      })
      assert.deepStrictEqual(A.refusal(yield* A.read(url("/coincidences"), "bob")), [403, "season_admin_only"])
      assert.deepStrictEqual(A.refusal(yield* call(url("/coincidences"))), [401, "unauthenticated"])
      assert.deepStrictEqual(A.refusal(yield* A.read("/v1/games/snakes/seasons/none/coincidences")), [404, "unknown_season"])
    })
  )

  it.effect("are versions of different owners with the same network, copies of baselines left out", () =>
    Effect.gen(function* () {
      const { id, url } = yield* A.season("copies", { admins: ["ada"] })
      yield* A.baseline(id, 910, "known", false)
      const versions = yield* Effect.forEach([901, 902, 903, 904, 905], (n) => A.entry(id, n))
      const [first, , third, fourth, fifth] = versions
      yield* A.rows`UPDATE version SET weights_hash = (SELECT weights_hash FROM version WHERE id = ${first!}) WHERE id = ${third!}`
      yield* A.rows`UPDATE version SET weights_hash = (SELECT weights_hash FROM version WHERE id = ${Fixture.uuid("version", 910)})
        WHERE id = ${fourth!} OR id = ${fifth!}`
      const { same_weights, versions_compared } = (yield* A.read(url("/coincidences"), "ada")).json
      const shown = (version_id: string, n: number) => ({ version_id, owner: `entrant-${n}`, model: `entrant-${n}`, version: 1 })
      assert.strictEqual(versions_compared, 5)
      assert.deepStrictEqual(same_weights, [{ earlier: shown(first!, 901), later: shown(third!, 903) }])
    })
  )
})
