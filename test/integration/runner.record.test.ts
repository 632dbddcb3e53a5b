/** The service's record of a runner that opens a session. */

import { Runners } from "@agon/server/runner/session/Runners.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../support/Postgres.ts"

const runners = Runners.layer.pipe(Layer.provideMerge(Postgres.layer({ migrate: true })))
const KEY = "00000000-0000-4000-8000-000000000001"
const about = { name: "one", runtime_version: "ort", engines: [], accepts: ["match"], slots: 2 } as const

layer(runners, { excludeTestServices: true })("the record of a runner", (it) => {
  it.effect("holds how it keeps models from its machine, where it says so", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO runner_key (id, name, prefix, key_sha256, created_at) VALUES (${KEY}, 'key', 'agon_rk_', '\\x00', now())`
      const { open } = yield* Runners
      for (const more of [{ isolation: "bubblewrap" }, {}]) {
        const { runner } = yield* open({ id: KEY } as Parameters<typeof open>[0], { ...about, ...more })
        const [row] = yield* sql<{ isolation: string | null }>`SELECT isolation FROM runner WHERE id = ${runner}`
        assert.strictEqual(row!.isolation, more.isolation ?? null)
      }
    })
  )
})
