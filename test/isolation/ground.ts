/**
 * Two seasons beside each other in one database, whose boards, entries and matches are alike, and a third
 * that has every row of the first which its keys allow it to have: the same boards, rounds, ratings, reviews
 * and open matches, under its own id. Nothing that is done to one of them may touch a row of another, or read
 * one: ratings that wait for their rows are others' in the third.
 */
import { PgClient } from "@effect/sql-pg"
import { float8, int4 } from "@effect/sql-pg/PgTypes"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { insertPeople, insertSeason } from "../support/SeasonRows.ts"
import { id, settings } from "../support/SeasonScript.ts"
import { beginWebhooks, FILLER } from "./webhooks.ts"

export const FIRST = id("season", 1)
export const SECOND = id("season", 2)
export const SHADOW = id("season", 3)
const PEOPLE = 64
/** Where the second season's models, versions and baselines begin: ids are unique in the whole service. */
export const offsetOf = (season: string): number => (season === SECOND ? 32 : 0)

/** Of links into a season. The second one is private. */
export const prefixOf = (season: string): string => (season === SECOND ? "/v1/private" : "/v1")

/** Tables in which a season's rows are found by its id and another key that may be the same in two seasons. */
const SHADOWED = ["board", "live", "review", "rating", "rating_redo", "rating_seed", "round", "series_point"]

/** Bytes of packed ratings (redo.ts) before the first one's mean, and the one of them that has the mean's exponent. */
const MEAN_EXPONENT_AT = 1 + 16 + 3 + 4 * 6 + 7

const SHADOWS = `
CREATE FUNCTION shadow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  NEW.season_id := '${SHADOW}';
  IF TG_TABLE_NAME = 'rating_redo' THEN
    NEW.seq := NEW.seq + 1000000; -- after all of the first season's
    NEW.ratings := set_byte(NEW.ratings, ${MEAN_EXPONENT_AT}, 65);
  END IF;
  EXECUTE format('INSERT INTO %I OVERRIDING SYSTEM VALUE SELECT ($1).* ON CONFLICT DO NOTHING', TG_TABLE_NAME) USING NEW;
  RETURN NULL;
END $$;
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a row of the shadow was touched: %', TG_TABLE_NAME; END $$;
${SHADOWED.map(
  (table) => `CREATE TRIGGER shadow AFTER INSERT ON ${table} FOR EACH ROW WHEN (NEW.season_id = '${FIRST}') EXECUTE FUNCTION shadow();
CREATE TRIGGER refuse BEFORE UPDATE OR DELETE ON ${table} FOR EACH ROW WHEN (OLD.season_id = '${SHADOW}') EXECUTE FUNCTION refuse()`
).join(";\n")}`

export const build = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  for (const statement of SHADOWS.split(/;\n(?=CREATE)/)) yield* sql.unsafe(statement)
})

/** The three seasons as they begin. Some owners want to hear less; one of each roster has submitted nothing. */
export const begin = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql.unsafe("TRUNCATE game, account, live, match, seat, rating_seed, audit, notification, webhook_delivery CASCADE")
  for (const season of [FIRST, SECOND, SHADOW])
    yield* insertSeason(sql, season, settings({ rules: { ...settings().rules, trial: { matches: 2 } } }))
  yield* insertPeople(sql, FIRST, PEOPLE)
  yield* sql.unsafe(`UPDATE season SET name = id::text, visibility = CASE id WHEN '${SECOND}' THEN 'private' ELSE 'public' END`)
  yield* sql.unsafe(`INSERT INTO identity (provider, subject, account_id, login, created_at)
    SELECT 'git', username, id, username, now() FROM account WHERE username IN ('owner30', 'owner31', 'owner62', 'owner63')
    UNION ALL SELECT 'other', 'x' || username, id, username, now() FROM account WHERE username = 'owner29'`)
  yield* sql.unsafe(`INSERT INTO participant (id, season_id, provider, login, added_at) VALUES
    (gen_random_uuid(), '${FIRST}', 'git', 'Owner30', now()), (gen_random_uuid(), '${FIRST}', 'git', 'owner29', now()),
    (gen_random_uuid(), '${SECOND}', 'git', 'OWNER62', now()), (gen_random_uuid(), '${SHADOW}', 'git', 'owner31', now())`)
  yield* sql.unsafe(`INSERT INTO notification_setting SELECT id, kind, enabled FROM account, (VALUES
      ('owner5', 'version_entered', false), ('owner6', 'version_entered', true), ('owner3', 'season_closed', false), ('owner4', 'note', false),
      ('owner37', 'version_entered', false), ('owner7', 'season_closed', true), ('owner39', 'season_closed', true), ('owner35', 'season_closed', false)) s (who, kind, enabled) WHERE username = who`)
  yield* beginWebhooks(FIRST, SECOND, SHADOW)
})

/** Those in which a season has rows, and those beside them that a statement of a season names. */
const TABLES = `SELECT c.relname AS name, a.attname IS NOT NULL AS seasons
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'season_id'
  WHERE n.nspname = 'public' AND c.relkind = 'r'
    AND (a.attname IS NOT NULL OR c.relname IN ('season', 'model', 'account', 'notification', 'notification_setting', 'webhook_delivery')) ORDER BY 1`

/** A statement that answers a digest of the rows of each table and season; of rows of no season, under no name. */
export const digests = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const tables = yield* sql.unsafe<{ name: string; seasons: boolean }>(TABLES)
  const each = tables.map(({ name, seasons }) => {
    const season = seasons ? "coalesce(season_id::text, '')" : name === "season" ? "id::text" : "''"
    const rows = name === "webhook_delivery" ? `${name} t WHERE t.kind <> '${FILLER}'` : `${name} t`
    return `SELECT '${name}' AS name, ${season} AS season, md5(string_agg(md5(t::text), '' ORDER BY md5(t::text))) AS digest FROM ${rows} GROUP BY 2`
  })
  return each.join(" UNION ALL ")
})

interface Digest {
  readonly name: string
  readonly season: string
  readonly digest: string
}

/** How a run is watched and disturbed. */
export interface Control {
  readonly digests: string
  /** The database on a connection of its own: what others see. */
  readonly outside: PgClient.PgClient
  mutate: (text: string) => string
  /** Whether a claim is one transaction. */
  transaction: boolean
  readonly seen: Set<string>
}

const COMMIT = "WITH f AS (UPDATE season SET seq"
/** Rows that a commit may add beside its season's rows: to the feeds of its people and to its webhooks. */
const FEEDS = new Set(["notification", "webhook_delivery"])

/**
 * The client of a season's store: every commit is first said by an actor that was fenced, and must
 * leave the other seasons alone.
 */
export const watched = (sql: PgClient.PgClient, control: Control): PgClient.PgClient => {
  const tried = new Set<string>()
  let last: ReadonlyArray<Digest> | undefined // since which nothing was written

  const look = Effect.map(control.outside.unsafe<Digest>(control.digests), (rows) => rows as ReadonlyArray<Digest>)
  const text = ({ digest, name, season }: Digest) => `${name} ${season} ${digest}`
  const said = (text: string, params: ReadonlyArray<unknown>) => sql.unsafe<any>(control.mutate(text), params)

  /** As an actor would say it under an epoch that was taken from it, and as one that has missed a commit. */
  const fenced = Effect.fnUntraced(function* (commit: string, params: ReadonlyArray<any>, before: ReadonlyArray<Digest>) {
    if (tried.has(commit)) return
    tried.add(commit)
    for (const [at, stale] of [
      [1, int4(params[1].value - 1)],
      [2, float8(params[2].value - 1)]
    ] as const) {
      const [row] = yield* said(commit, params.with(at, stale))
      assert.strictEqual(row.held, 0, "an actor that was fenced is told so")
    }
    assert.sameMembers((yield* look).map(text), before.map(text), "an actor that was fenced writes nothing")
  })

  const commit = Effect.fnUntraced(function* (commit: string, params: ReadonlyArray<any>) {
    const before = last ?? (yield* look)
    yield* fenced(commit, params, before)
    const rows = yield* said(commit, params)
    last = yield* look
    const others = ({ name, season }: Digest) => season !== params[0].value && season !== SHADOW && !FEEDS.has(name)
    assert.sameMembers(last.filter(others).map(text), before.filter(others).map(text), "a commit writes rows of its own season")
    return rows
  })

  /** Nobody else may write to a season while it is read: rows as objects, or as their values. */
  const read = Effect.fnUntraced(function* (text: string, params: ReadonlyArray<any>, asValues: boolean) {
    const rows = yield* asValues ? said(text, params).values : said(text, params)
    if (!text.startsWith("SELECT")) last = undefined
    if (!text.startsWith("SELECT map_id")) return rows
    const free = yield* control.outside.unsafe("SELECT id FROM season WHERE id = $1::uuid FOR UPDATE SKIP LOCKED", [params[0]])
    assert.strictEqual(free.length, 0, "a season is locked while it is claimed")
    return rows
  })

  return new Proxy(sql, {
    get: (target, key) => {
      if (key === "withTransaction") return control.transaction ? target.withTransaction : (effect: unknown) => effect
      if (key !== "unsafe") return Reflect.get(target, key)
      return (text: string, params: ReadonlyArray<unknown> = []) => {
        control.seen.add(text)
        if (text.startsWith(COMMIT)) return commit(text, params)
        return Object.assign(read(text, params, false), { values: read(text, params, true) })
      }
    }
  })
}
