/** A season's administrator voids a match (docs/contract.md#voiding-a-match). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as administration, log, options, post, read, refusal, rows, urlOf } from "../support/Administration.ts"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { lease, world } from "../support/SmallWorld.ts"

const reason = "The board was drawn wrongly."
const ladder = "/v1/games/snakes/leaderboard?season=one"
const countsOf = (json: any) => new Map<string, number>(json.entries.map(({ matches, version_id }: any) => [version_id, matches]))

/** A match that failed by its engine, with one seat. */
const insertFailed = Effect.fnUntraced(function* (id: string, season: string, version: string) {
  yield* rows`INSERT INTO match (id, season_id, n, ladder, round, map_id, seed, engine_digest, status, fault_reason, lease_n, released, created_at, ended_at)
    VALUES (${id}::uuid, ${season}::uuid, -1, 'open', 0, 'duel', 1, 'sha256:x', 'failed', 'engine_fault', 1, false, now(), now())`
  yield* rows`INSERT INTO seat (match_id, seat, season_id, version_id, model_id, owner_id, ended_at, rank, score, strikes)
    SELECT ${id}::uuid, 0, season_id, id, model_id, owner_id, now(), 0, 0, 0 FROM version WHERE id = ${version}::uuid`
})

layer(administration, options)("voiding a match", (it) => {
  it.effect("takes it out of the season for its administrators only, once, and says when ratings are those without it", () =>
    Effect.gen(function* () {
      const { adder, boa, matches, one } = yield* world
      yield* post(urlOf("one", "/admins"), { username: "ada" })
      yield* post(urlOf("two", "/admins"), { username: "bob" })
      assert.strictEqual((yield* post(urlOf("one", "/webhooks"), { url: "https://hooks.agon.example/one" }, "ada")).status, 201)
      const [match] = matches.one as [string]
      const url = urlOf("one", `/matches/${match}/void`)
      const before = countsOf((yield* read(ladder)).json)
      const played = (yield* read("/v1/games/snakes/seasons/one")).json.matches_played
      const { played_at } = (yield* read(`/v1/me/matches/${match}`, "bob")).json
      const feeds = yield* Effect.forEach(["ada", "bob"], (as) => Effect.map(read("/v1/me/notifications", as), ({ text }) => text))
      const logged = yield* log(one.id)
      const [queued] = yield* lease(one.id)
      if (queued?.kind !== "match") assert.fail("a match is handed out")
      const other = Fixture.uuid("match", 901)

      for (const [path, json, as, expected] of [
        [url, { reason }, "bob", [403, "season_admin_only"]],
        [urlOf("two", `/matches/${match}/void`), { reason }, "bob", [404, "not_found"]], // a match of another season
        [urlOf("one", `/matches/${matches.two[0]}/void`), { reason }, "ada", [404, "not_found"]],
        [urlOf("one", `/matches/${other}/void`), { reason }, "ada", [404, "not_found"]],
        [urlOf("one", `/matches/${match.toUpperCase()}/void`), { reason }, "ada", [404, "not_found"]], // not as UUIDs are written
        [urlOf("one", "/matches/none/void"), { reason }, "ada", [404, "not_found"]],
        [url, {}, "ada", [400, "invalid_request"]],
        [url, { reason: " " }, "ada", [400, "invalid_request"]],
        [url, { reason: 7 }, "ada", [400, "invalid_request"]],
        [url, { reason: "x".repeat(501) }, "ada", [400, "invalid_request"]],
        [url, { reason: "a\u0000b" }, "ada", [400, "invalid_request"]],
        [urlOf("one", `/matches/${queued.match}/void`), { reason }, "ada", [409, "match_not_finished"]]
      ] as const)
        assert.deepStrictEqual(refusal(yield* post(path, json, as)), [...expected], `${path} ${JSON.stringify(json)}`)
      assert.deepStrictEqual(yield* log(one.id), logged, "a refused void leaves no row")

      const voided = yield* post(url, { reason: ` ${reason} ` }, "ada")
      assert.strictEqual(voided.status, 200, voided.text)
      assert.hasAllKeys(voided.json, ["match", "state"])
      assert.strictEqual(voided.json.match, match)
      assert.include(["voiding", "voided"], voided.json.state)
      assert.strictEqual((yield* read(`/v1/matches/${match}`)).status, 404, "its page is purged")
      const outbox =
        yield* rows`SELECT match_id, at <= now() AND at > now() - interval '1 day' AS dated FROM dataset_voided WHERE season_id = ${one.id}`
      assert.deepStrictEqual(outbox, [{ match_id: match, dated: true }], "datasets hear of it, with the season's time")
      const own = (yield* read(`/v1/me/matches/${match}`, "bob")).json
      assert.isString(played_at)
      assert.deepInclude(own, { status: "failed", fault_reason: "replay_mismatch", played_at }, "it was played all the same")
      assert.strictEqual((yield* read("/v1/me/matches", "bob")).json.matches.find(({ id }: any) => id === match).played_at, played_at)
      assert.strictEqual((yield* read("/v1/games/snakes/seasons/one")).json.matches_played, played - 1)
      const after = countsOf((yield* read(ladder)).json)
      for (const { version } of [adder, boa]) assert.strictEqual(after.get(version), before.get(version)! - 1)

      const again = post(url, { reason: "Another." }, "ada")
      yield* eventually(
        "ratings without the match",
        Effect.map(again, ({ json, status, text }) => {
          assert.deepStrictEqual([status, json.match], [200, match], text)
          return json.state === "voided"
        })
      )
      assert.deepStrictEqual(yield* rows`SELECT 1 FROM voiding WHERE match_id = ${match}`, [])
      assert.deepStrictEqual(yield* log(one.id), [["ada", "match.void", match, { reason }], ...logged], "one row, of the first")
      const told = yield* Effect.forEach(["ada", "bob"], (as) => Effect.map(read("/v1/me/notifications", as), ({ text }) => text))
      assert.deepStrictEqual(told, feeds)
      const posted = yield* rows`SELECT link FROM webhook_delivery WHERE kind = 'match_voided'`
      assert.deepStrictEqual(posted, [{ link: `/v1/matches/${match}` }], "webhooks hear of it once, and not of the ratings")

      yield* insertFailed(other, one.id, adder.version)
      const unplayed = yield* post(urlOf("one", `/matches/${other}/void`), { reason }, "ada")
      assert.deepStrictEqual(refusal(unplayed), [409, "match_not_finished"], "it failed for another reason")
    })
  )
})
