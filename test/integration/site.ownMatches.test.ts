/**
 * A competitor's own matches on the site, in every state: what their pages say, who sees them,
 * and that nothing keeps them.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { assertPage, type Shown, visit } from "../support/Pages.ts"
import * as SiteService from "../support/SiteService.ts"

const { matchIds: x, uuid, versionIds: v } = Fixture

/** The candidate's trial has reached the limit of three strikes, and its replay is stored. */
const struck = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.andThen(
    sql`UPDATE seat SET strikes = 3 WHERE match_id = ${x.openTrial} AND version_id = ${v.delta1}`,
    sql`UPDATE match SET replay_hash = ${`sha256:${"e".repeat(64)}`}, replay_bytes = 900, reason = 'forfeit' WHERE id = ${x.openTrial}`
  )
)
const service = Layer.effectDiscard(struck).pipe(Layer.provideMerge(SiteService.layerFixture))

const AT = "/me/matches"
const NEVER = uuid("match", 999)

const linksOf = (path: string, shown: Shown) =>
  assertPage(path, shown).flatMap(({ attributes, name }) => (name === "a" ? attributes["href"]!.replace(/#.*/, "") : []))

/** All of an answer but its own id, its time, and the id that was asked for, which a way to sign in leads back to. */
const faceOf = ({ headers, status, text }: Shown, id: string) => {
  const { "content-length": bytes, date: _date, etag, "x-request-id": _id, ...rest } = Object.fromEntries(headers)
  // Compressed, a page with another id may be a byte longer.
  const own = text.includes(id) ? {} : { bytes, etag }
  return { status, headers: rest, ...own, text: text.replaceAll(id, NEVER) }
}

layer(Layer.orDie(service), { excludeTestServices: true, timeout: "240 seconds" })("pages of one's own matches", (it) => {
  // A version's page wakes its season, which is closed by now: then nothing waits any more.
  it.effect("say of each state what it is, and of a failure what its owner does about it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const text = (id: string) =>
        Effect.map(visit(`${AT}/${id}`, "ada"), (shown) => {
          assert.strictEqual(shown.status, 200)
          assertPage(id, shown)
          return shown.text
        })
      for (const [reason, why, mend] of [
        ["runner_lost", "the machine that played it was lost", "After five in a row that only your version explains it is suspended"],
        ["engine_fault", "through a fault of its own", "There is nothing to mend"],
        ["weights_unavailable", "could not get the files of a model", "submit its files again"],
        ["replay_mismatch", "It was played and then voided", "it counts for nobody"]
      ] as const) {
        yield* sql`UPDATE match SET fault_reason = ${reason} WHERE id = ${x.failed}`
        const failed = yield* text(x.failed)
        assert.include(failed, why)
        assert.include(failed, mend)
        assert.notInclude(failed, "agon-replay")
      }
      assert.include(yield* text(x.cancelled), "A newer version of a model in it has entered, version 2: the match was withdrawn")
      for (const id of [x.queued, x.liveTrial]) assert.include(yield* text(id), "It waits for a machine that plays it, or is being played.")
      assert.include(yield* text(x.uncounted), "a new round had begun meanwhile")
      assert.include(yield* text(x.nano), `<a href="/matches/${x.nano}">Its page`)
      assert.include(yield* text(x.secret), `<a href="/private/matches/${x.secret}">Its page`)
    })
  )

  it.effect("are listed with how each moved the rating, where it did", () =>
    Effect.gen(function* () {
      const shown = yield* visit(AT, "ada")
      assertPage(AT, shown)
      const rowOf = (id: string) => shown.text.split("<tr>").find((row) => row.includes(`/${id}"`)) ?? ""
      assert.match(rowOf(x.nano), /<td class="n"><span class="(good|bad)">[+−]\d+\.\d<\/span><span class="unit"> rating<\/span><\/td>/)
      assert.include(rowOf(x.queued), '<td class="n"></td>')
    })
  )

  it.effect("say of a trial that failed why, with its replay and what to mend, and the version's page leads there", () =>
    Effect.gen(function* () {
      const version = `/me/versions/${v.delta1}`
      const to = linksOf(version, yield* visit(version, "ada"))
      assert.includeMembers(to, [`${AT}/${x.openTrial}`, `${AT}/${x.liveTrial}`])
      const path = `${AT}/${x.openTrial}`
      const shown = yield* visit(path, "ada")
      assert.strictEqual(shown.headers.get("cache-control"), "private, no-store")
      const elements = assertPage(path, shown)
      assert.include(shown.text, "A trial match was played. It moves no rating.")
      assert.include(shown.text, "Your seat 1 had 3 strikes, the season's limit, and forfeited.")
      assert.include(shown.text, "is refused. Mend the model and submit it again.")
      const player = elements.find(({ name }) => name === "agon-replay")!.attributes
      assert.match(player["src"]!, /^\/objects\//)
      assert.include(shown.text, "agon verify")
      const links = linksOf(path, shown)
      assert.includeMembers(links, ["/kit/strikes", version])
      for (const each of links) if (/^\/(?!objects|docs)/.test(each)) assert.include([200, 303], (yield* visit(each, "ada")).status, each)
    })
  )

  it.effect("are listed, those that count with the page that everybody sees, and the failed ones on the version's page", () =>
    Effect.gen(function* () {
      const list = yield* visit(AT, "ada")
      const links = linksOf(AT, list)
      const own = [x.failed, x.cancelled, x.openTrial, x.uncounted].map((id) => `${AT}/${id}`)
      assert.includeMembers(links, [...own, `/matches/${x.nano}`, `/private/matches/${x.secret}`])
      assert.strictEqual(list.headers.get("cache-control"), "private, no-store")
      assert.includeMembers(linksOf("/me", yield* visit("/me", "ada")), [...own, AT])
      const version = `/me/versions/${v.alpha2}`
      assert.include(linksOf(version, yield* visit(version, "ada")), `${AT}/${x.failed}`)
      assert.notInclude((yield* visit(`/me/versions/${v.gamma1}`, "bob")).text, x.failed, "it had no seat in it")
      const past = yield* visit(`${AT}?cursor=1000`, "bob")
      assert.deepStrictEqual([past.status, (yield* visit(`${AT}?cursor=x`, "bob")).status], [200, 400])
      assert.include(past.text, "There is no match on this page.")
      assert.match((yield* visit(AT, "root")).text, /No model of yours has had a match yet\.[^\n]*href="\/me\/models"/, "what comes first")
    })
  )

  it.effect("do not exist for anybody without a seat: the answer is that to a match that never was, to the byte", () =>
    Effect.gen(function* () {
      for (const id of [x.failed, x.openTrial, x.liveTrial, x.cancelled, x.secret]) {
        assert.strictEqual((yield* visit(`${AT}/${id}`, "ada")).status, 200)
        const others = [x.liveTrial, x.secret].includes(id)
          ? (["root", "bob", undefined, "forged"] as const)
          : (["root", undefined, "forged"] as const)
        for (const as of others) {
          const status = as === "root" || as === "bob" ? 404 : 401
          const [hidden, never] = [yield* visit(`${AT}/${id}`, as), yield* visit(`${AT}/${NEVER}`, as)]
          assert.strictEqual(hidden.status, status, `${id} for ${as}`)
          assert.deepStrictEqual(faceOf(hidden, id), faceOf(never, NEVER))
          assert.strictEqual(hidden.headers.get("cache-control"), "private, no-store")
          const replay = yield* visit(`/me/replays/${id}/abc`, as)
          assert.deepStrictEqual([replay.status, replay.headers.get("cache-control")], [404, "private, no-store"])
        }
      }
      for (const id of ["none", "..", "%00", "_"]) assert.strictEqual((yield* visit(`${AT}/${id}`, "ada")).status, 404, id)
    })
  )

  it.effect("stand on a page that says how many notifications are new, as far as it has read", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { text: before } = yield* visit("/me", "bob")
      const was = Number(/(\d+) new</.exec(before)?.[1] ?? 0)
      const tell = (n: number) =>
        sql`INSERT INTO notification (id, account_id, kind, subject, created_at)
          SELECT new_id(now()), a.id, 'season_notice', 'no. ' || n, now() FROM account a, generate_series(1, ${n}::int) n
          WHERE a.username = 'bob'`
      yield* tell(3)
      assert.include((yield* visit("/me", "bob")).text, `>${was + 3} new<`)
      yield* tell(120)
      assert.include((yield* visit("/me", "bob")).text, ">100 or more new<")
    })
  )
})
