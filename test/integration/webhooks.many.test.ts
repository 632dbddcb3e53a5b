/** Many webhooks have many deliveries: the sweep and the figures of /metrics look at them in parts. */
import { makeOldestDue } from "@agon/server/notification/oldestDue.ts"
import { WebhookDelivery } from "@agon/server/notification/webhook/WebhookDelivery.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { seeded } from "../support/AddressedDatabase.ts"
import { HANGS_AFTER_MS } from "../support/hangs.ts"

const database = WebhookDelivery.layerIdle.pipe(Layer.provideMerge(seeded))

interface Kind {
  readonly webhooks: number
  /** Deliveries of each, a second apart. */
  readonly each: number
  readonly channel?: "web" | "mail"
  readonly off?: boolean
  readonly failing?: boolean
}

/** Webhooks of ada whose address has a word, with deliveries that were told and are due since `at`, in seconds since 1970. */
const waiting = (word: string, at: number, { channel = "web", each, failing = false, off = false, webhooks }: Kind) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      WITH made AS (
        INSERT INTO webhook (id, account_id, url, secret, created_at, channel, disabled_at, failing_since)
        SELECT gen_random_uuid(), a.id, ${`http://127.0.0.1:9/${word}`}, 's', now(), ${channel}, CASE WHEN ${off}::boolean THEN now() END,
          CASE WHEN ${failing}::boolean THEN now() END
        FROM account a, generate_series(1, ${webhooks}::int) WHERE a.username = 'ada' RETURNING id)
      INSERT INTO webhook_delivery (webhook_id, id, kind, subject, created_at, due_at)
      SELECT m.id, gen_random_uuid(), 'test', 'x', t.at, t.at FROM made m, generate_series(1, ${each}::int) i,
        LATERAL (SELECT to_timestamp(${at}::float8 + i) AS at) t`
  })

const left = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly word: string; readonly n: number }>`
      SELECT coalesce(split_part(w.url, '/', 4), 'gone') AS word, count(*)::int AS n FROM webhook_delivery d LEFT JOIN webhook w ON w.id = d.webhook_id
      GROUP BY 1 ORDER BY 1`,
    (rows) => Object.fromEntries(rows.map(({ n, word }) => [word, n]))
  )
)

/** A statement that deletes more than so many deliveries fails. */
const atMost = (n: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.andThen(
      sql.unsafe(`CREATE FUNCTION deleted_too_many() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT count(*) FROM deleted) > ${n} THEN RAISE 'too many in one statement'; END IF; RETURN NULL; END $$`),
      sql`CREATE TRIGGER too_many AFTER DELETE ON webhook_delivery REFERENCING OLD TABLE AS deleted
        FOR EACH STATEMENT EXECUTE FUNCTION deleted_too_many()`
    )
  )

layer(database, { excludeTestServices: true, timeout: HANGS_AFTER_MS })("many webhooks", (it) => {
  it.effect("are swept in parts: of those that are off or gone all goes, of those that fail what is a day old", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { sweep } = yield* WebhookDelivery
      const now = Math.floor(Date.now() / 1_000)
      yield* waiting("on", now - 90_000, { webhooks: 400, each: 2 })
      yield* waiting("off", now - 3_000, { webhooks: 7, each: 1_000, off: true })
      yield* waiting("offMany", now - 3_000, { webhooks: 300, each: 1, off: true })
      yield* waiting("failing", now - 86_900, { webhooks: 3, each: 1_000, failing: true })
      yield* waiting("mail", now - 90_000, { webhooks: 1, each: 3, channel: "mail", failing: true })
      yield* waiting("removed", now - 100, { webhooks: 2, each: 1_000 })
      yield* sql`DELETE FROM webhook WHERE url LIKE '%/removed'`
      yield* atMost(2_000)
      yield* sweep
      const { failing, ...others } = yield* left
      assert.deepStrictEqual(others, { on: 800, mail: 3 })
      assert.isTrue(failing! > 1_000 && failing! <= 1_500, `${failing}`)
    })
  )

  it.effect("tell since when one has been due, whichever part of them a reading looks at", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`TRUNCATE webhook_delivery`
      yield* waiting("x", 2_000, { webhooks: 7, each: 2 })
      yield* waiting("y", 3_000, { webhooks: 1, each: 1, channel: "mail" })
      yield* waiting("z", 1_000, { webhooks: 3, each: 1, off: true })
      const rows = yield* sql<{ readonly id: string }>`SELECT id FROM webhook WHERE url LIKE '%/x' ORDER BY id`
      const firstDue = (id: string, at: number) =>
        sql`UPDATE webhook_delivery SET due_at = to_timestamp(${at}) WHERE webhook_id = ${id} AND due_at < to_timestamp(2002)`
      const at = (n: number) => new Date(n * 1_000)
      const now = at(10_000)
      const whole = yield* makeOldestDue()
      assert.deepStrictEqual(yield* whole(now), { web: at(2_001), mail: at(3_001) })
      yield* firstDue(rows.at(-1)!.id, 1_500)
      assert.deepStrictEqual(yield* whole(now), { web: at(1_500), mail: at(3_001) })
      const inParts = yield* makeOldestDue(4, 2) // of eleven
      const readings = Effect.replicateEffect(inParts(now), 3)
      assert.deepStrictEqual((yield* readings).at(-1), { web: at(1_500), mail: at(3_001) })
      yield* sql`DELETE FROM webhook_delivery WHERE due_at = to_timestamp(1500)`
      assert.deepStrictEqual((yield* inParts(now)).web, at(1_500), "the last whole round is told until there is another")
      yield* readings
      assert.deepStrictEqual((yield* readings).at(-1), { web: at(2_001), mail: at(3_001) })
      yield* sql`DELETE FROM webhook_delivery`
      yield* readings
      assert.deepStrictEqual(yield* whole(now), { web: null, mail: null })
      assert.deepStrictEqual(yield* inParts(now), { web: null, mail: null })
    })
  )
})
