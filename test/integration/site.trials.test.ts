/** The last matches on the site, just after a version has played more trials than a page has rows. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { page, siteAnswers } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const { matchIds: x, modelIds: m } = Fixture
/** Of two versions, by the longest rules that a season may have (docs/contract.md#rules). */
const TRIALS = 40

/** The fixture's trial that was passed once more, each a minute later. */
const tried = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH copy AS (SELECT gen_random_uuid() AS id, n, now() + n * interval '1 minute' AS at FROM generate_series(1, ${TRIALS}) n),
      matches AS (INSERT INTO match SELECT (jsonb_populate_record(o, jsonb_build_object('id', c.id, 'n', 1000 + c.n, 'ended_at', c.at))).*
        FROM match o, copy c WHERE o.id = ${x.passedTrial})
    INSERT INTO seat SELECT (jsonb_populate_record(y, jsonb_build_object('match_id', c.id, 'ended_at', c.at))).*
      FROM seat y, copy c WHERE y.match_id = ${x.passedTrial}`
})

const textOf = (path: string) =>
  Effect.map(
    Effect.flatMap(Service.Service, ({ origin }) => page(origin, path)),
    ({ status, text }) => {
      assert.strictEqual(status, 200, path)
      return text
    }
  )

layer(SiteService.layerFixture, { excludeTestServices: true, timeout: "300 seconds" })("after many trials", (it) => {
  it.effect("pages and feeds tell the matches before them that count", () =>
    Effect.gen(function* () {
      yield* tried
      yield* siteAnswers
      for (const path of ["/", "/games/snakes/seasons/spring", `/models/${m.beta}?season=spring`, `/models/${m.beta}/results.atom`]) {
        const text = yield* textOf(path)
        assert.include(text, `/matches/${x.open}`, path)
        assert.notInclude(text, "No match has been played yet", path)
      }
    })
  )
})
