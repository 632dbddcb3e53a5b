/** Webhooks that have deliveries are looked at a part at a time, and each of them in its turn. */
import { makeQueries as makeMailQueries } from "@agon/server/notification/mail/mailQueries.ts"
import { makeTake } from "@agon/server/notification/takes.ts"
import { makeQueries } from "@agon/server/notification/webhook/webhookDeliveryQueries.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { seeded } from "../support/AddressedDatabase.ts"

const WAITING = 7
const PART = 3

/** Webhooks with two deliveries each; their ids in order. */
const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO webhook (id, account_id, url, secret, created_at)
    SELECT gen_random_uuid(), a.id, 'http://127.0.0.1:9/', 's', now() FROM account a, generate_series(1, ${WAITING}::int) WHERE a.username = 'ada'`
  yield* sql`INSERT INTO webhook_delivery (webhook_id, id, kind, subject, created_at, due_at)
    SELECT w.id, gen_random_uuid(), 'test', 'x', now(), now() FROM webhook w, generate_series(1, 2)`
  const rows = yield* sql<{ readonly id: string }>`SELECT id FROM webhook ORDER BY id`
  return rows.map(({ id }) => id)
})

layer(seeded)("takes", (it) => {
  it.effect("go from where the last one ended through all that wait, and no further than to so many", () =>
    Effect.gen(function* () {
      const ids = yield* waiting
      const at = (numbers: ReadonlyArray<number>) => numbers.map((number) => ids[number]!)
      const looked: Array<ReadonlyArray<string>> = []
      const due = new Set<string>()
      const take = yield* makeTake(
        (part, limit) =>
          Effect.sync(() => {
            looked.push(part)
            return part.filter((id) => due.has(id)).slice(0, limit)
          }),
        PART
      )
      const lookedAt = Effect.sync(() => looked.splice(0))
      assert.deepStrictEqual(yield* take(2), [])
      assert.deepStrictEqual(yield* lookedAt, [at([0, 1, 2]), at([3, 4, 5]), at([6])])
      for (const id of at([1, 2, 4])) due.add(id)
      assert.deepStrictEqual(yield* take(2), at([1, 2]))
      assert.deepStrictEqual(yield* lookedAt, [at([0, 1, 2])])
      assert.deepStrictEqual(yield* take(2), at([4, 1]))
      assert.deepStrictEqual(yield* lookedAt, [at([3, 4, 5]), at([6]), at([0, 1, 2])])
      assert.deepStrictEqual(yield* take(9), at([4, 1, 2]))
      assert.deepStrictEqual(yield* lookedAt, [at([3, 4, 5]), at([6]), at([0, 1, 2])])
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM webhook_delivery`
      assert.deepStrictEqual([yield* take(2), yield* take(2), yield* lookedAt], [[], [], []])
    })
  )

  it.effect("are of mails alone or of webhooks alone, and what comes while a mail is sent waits for the next", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM webhook`
      const [web, mail] = [crypto.randomUUID(), crypto.randomUUID()]
      yield* sql`INSERT INTO webhook (id, account_id, url, secret, channel, created_at)
        SELECT x.id::uuid, a.id, '', 's', x.channel, now() FROM account a, (VALUES (${web}, 'web'), (${mail}, 'mail')) x (id, channel)
        WHERE a.username = 'ada'`
      const now = new Date()
      const tell = (subject: string) => sql`INSERT INTO webhook_delivery (webhook_id, id, kind, subject, created_at, due_at)
        SELECT w.id, gen_random_uuid(), 'test', ${subject}, ${now}::timestamptz, ${now}::timestamptz FROM webhook w`
      yield* tell("before")
      const [webhooks, mails] = [yield* makeQueries, yield* makeMailQueries]
      const asked = { ids: [web, mail], now, gathered: now, until: new Date(now.getTime() + 60_000), limit: 9 }
      assert.deepStrictEqual(
        (yield* webhooks.take(asked)).map(({ webhook_id }) => webhook_id),
        [web]
      )
      assert.deepStrictEqual(
        (yield* mails.takeMail(asked)).map(({ webhook_id }) => webhook_id),
        [mail]
      )
      const sent = yield* mails.news(mail)
      yield* tell("meanwhile")
      yield* mails.mailed({ webhook_id: mail, ids: sent.map(({ id }) => id), now, until: now, outcome: "accepted" })
      assert.deepStrictEqual(
        (yield* mails.news(mail)).map(({ subject }) => subject),
        ["meanwhile"]
      )
    })
  )
})
