/**
 * Migrations that nodes of the release before would not survive, or would wait for, are refused unless they
 * say why. One that takes away what older nodes read says in its name, too, which releases play on after it
 * (packages/server/README.md#migrations).
 */
import { readdirSync, readFileSync } from "node:fs"
import { needOf } from "@agon/server/database/beside.ts"
import { migrations } from "@agon/server/database/migrations/index.ts"
import { assert, describe, it } from "vitest"

const folder = new URL("../../packages/server/src/database/migrations/", import.meta.url)
/** Those up to this one were made when all nodes were stopped for an upgrade. */
const LAST_STOPPED = 34
const REASON = /--\s*rolling:\s*\S+/

const OLDER_FAILS = "statements of older nodes fail"
const OLDER_RELY = "statements of older nodes may rely on it"
const HIDDEN = "its statements are not seen here"
const UNNAMED = "and its file is not named NNNN_needs_MMMM_… for the migration that releases need after it"
const WRITES_WAIT = "writes of older nodes wait until it is done"
const REWRITES = "the table is rewritten, and everybody waits"

interface Rule {
  readonly what: RegExp
  readonly why: string
  /** It matters only where the table was there before; the first group names it. */
  readonly existing?: true
  /**
   * It takes away what an older release reads, or what it may leave out: a reason is not enough, the file's
   * name keeps that release away.
   */
  readonly contracts?: true
}

const TABLE = String.raw`(?:IF (?:NOT )?EXISTS )?(?:ONLY )?"?(\w+)"?`
const alters = (change: string) => new RegExp(String.raw`^ALTER TABLE ${TABLE}\b.*\b(?:${change})`, "is")
const contract = { why: OLDER_FAILS, contracts: true } as const
const rules: ReadonlyArray<Rule> = [
  { what: /^DROP (?:MATERIALIZED )?(?:TABLE|VIEW|TYPE|DOMAIN|SEQUENCE|SCHEMA)\b/i, ...contract },
  { what: /\bRENAME\b/i, ...contract },
  { what: /^ALTER (?:TYPE|DOMAIN)\b/i, ...contract },
  { what: alters("DROP COLUMN|SET NOT NULL"), existing: true, ...contract },
  { what: alters("DROP DEFAULT"), why: OLDER_FAILS, existing: true },
  {
    what: alters(String.raw`ADD COLUMN\b(?:(?!\bADD COLUMN\b|\bDEFAULT\b).)*\bNOT NULL\b(?!(?:(?!\bADD COLUMN\b).)*\bDEFAULT\b)`),
    existing: true,
    ...contract
  },
  { what: alters("ADD (?:CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN|EXCLUDE)"), why: OLDER_FAILS, existing: true },
  { what: alters(String.raw`ALTER COLUMN \S+ (?:SET DATA )?TYPE`), why: REWRITES, existing: true, contracts: true },
  {
    what: alters(String.raw`ADD COLUMN\b.*(?:\bSTORED\b|\bIDENTITY\b|\w*serial\b|random\w*\(|uuid\w*\(|clock_timestamp\()`),
    why: REWRITES,
    existing: true
  },
  // ON CONFLICT names unique ones; checks and foreign keys may go.
  { what: alters(String.raw`DROP CONSTRAINT (?:IF EXISTS )?"?(?!\w*_(?:check|fkey)\b)`), why: OLDER_RELY, existing: true },
  { what: /^DROP (?:INDEX|TRIGGER|FUNCTION)\b/i, why: OLDER_RELY },
  { what: /^(?:DO|CALL|EXECUTE)\b/i, why: HIDDEN },
  { what: new RegExp(String.raw`^CREATE (?:UNIQUE )?INDEX\b.*?\bON ${TABLE}`, "is"), why: WRITES_WAIT, existing: true },
  { what: new RegExp(`^(?:UPDATE|DELETE FROM|TRUNCATE|LOCK)(?: TABLE)? ${TABLE}`, "i"), why: WRITES_WAIT, existing: true }
]

const withoutComments = (statement: string) => statement.replace(/--.*$/gm, "").replace(/\s+/g, " ").trim()

/** The fault of each statement that gives no reason, or whose file is not named as it has to be. */
const findings = (text: string, need?: number): ReadonlyArray<string> => {
  const statements = text.split(/;\s*(?:\n|$)/)
  const made = new Set(
    statements.flatMap((statement) => new RegExp(`^CREATE TABLE ${TABLE}`, "i").exec(withoutComments(statement))?.[1] ?? [])
  )
  return statements.flatMap((statement) => {
    const plain = withoutComments(statement)
    const broken = rules.find(({ existing, what }) => {
      const found = what.exec(plain)
      return found !== null && !(existing && made.has(found[1]!))
    })
    if (broken === undefined) return []
    const reasoned = REASON.test(statement)
    if (reasoned && !(broken.contracts && need === undefined)) return []
    return [`${plain.slice(0, 60)}: ${broken.why}${reasoned ? `, ${UNNAMED}` : ""}`]
  })
}

const files = readdirSync(folder).filter((name) => /^\d{4}_/.test(name))
const textOf = (name: string) => /export default `([\s\S]*)`/.exec(readFileSync(new URL(name, folder), "utf8"))![1]!
const released = new Map(files.map((name) => [Number.parseInt(name, 10), name]))
const needIn = (file: string) => needOf([Number.parseInt(file, 10), file.slice("0000_".length)])

describe("a migration", () => {
  it.each(files.filter((name) => Number.parseInt(name, 10) > LAST_STOPPED))(
    "%s is one that nodes of the release before can play through",
    (name) => {
      assert.deepStrictEqual(findings(textOf(name), needIn(name)), [])
    }
  )

  it.each(files)("%s is known to the service by the name of its file, and needs none but an earlier one", (name) => {
    assert.include(Object.keys(migrations), name.replace(/\.ts$/, ""))
    const need = needIn(name)
    assert.isTrue(need === undefined || (released.has(need) && need < Number.parseInt(name, 10)))
  })

  const CONTRACTS = /^(?!DO).*(?:DROP (?:TABLE|TYPE|COLUMN)|RENAME|ALTER TYPE|NOT NULL|TYPE bigint)/
  const refused: ReadonlyArray<readonly [statement: string, why: string]> = [
    ["DROP TABLE pick", OLDER_FAILS],
    ["ALTER TABLE seat RENAME COLUMN place TO rank", OLDER_FAILS],
    ["ALTER TABLE match ADD COLUMN a int DEFAULT 0, DROP COLUMN n", OLDER_FAILS],
    ["ALTER TABLE match ADD COLUMN a int NOT NULL", OLDER_FAILS],
    ["ALTER TABLE match ADD COLUMN a int NOT NULL DEFAULT 0, ADD COLUMN b int NOT NULL", OLDER_FAILS],
    ["ALTER TABLE match ADD COLUMN b int NOT NULL, ADD COLUMN a int NOT NULL DEFAULT 0", OLDER_FAILS],
    ["ALTER TABLE match ALTER COLUMN n SET NOT NULL", OLDER_FAILS],
    ["ALTER TABLE match ALTER COLUMN n DROP DEFAULT", OLDER_FAILS],
    ["DROP TYPE phase", OLDER_FAILS],
    ["ALTER TYPE phase RENAME VALUE 'open' TO 'live'", OLDER_FAILS],
    ["ALTER TABLE runner_key DROP CONSTRAINT runner_key_secret", OLDER_RELY],
    ["DROP INDEX IF EXISTS runner_seen", OLDER_RELY],
    ["DROP TRIGGER match_dataset_void ON match", OLDER_RELY],
    ["DO $$ BEGIN EXECUTE 'DROP TABLE pick'; END $$", HIDDEN],
    ["ALTER TABLE seat ADD CONSTRAINT c CHECK (rank > 0)", OLDER_FAILS],
    ["ALTER TABLE match ALTER COLUMN n TYPE bigint", REWRITES],
    ["ALTER TABLE match ADD COLUMN a uuid DEFAULT gen_random_uuid()", REWRITES],
    ["CREATE INDEX a ON match (n)", WRITES_WAIT],
    ["-- a comment\nUPDATE seat SET place = 0", WRITES_WAIT],
    ["CREATE TABLE other (a int);\nDELETE FROM seat", WRITES_WAIT]
  ]
  it.each(refused)("is refused for %s", (statement, why) => {
    const [found, ...others] = findings(statement)
    assert.isTrue(found?.endsWith(why), found)
    assert.isEmpty(others)
    const reasoned = statement.replace(/(?<=^|;\n)(?!CREATE TABLE)/g, "-- rolling: the table has ten rows\n")
    assert.isEmpty(findings(reasoned, 38), "with its reason and a name that keeps older releases away it passes")
    assert.isNotEmpty(findings(statement, 38), "the name alone is no reason")
    const unnamed = findings(reasoned)
    assert.strictEqual(unnamed.length === 0, !CONTRACTS.test(statement), "the reason alone is enough where nothing is taken away")
    for (const one of unnamed) assert.isTrue(one.endsWith(UNNAMED), one)
  })

  const taken = [
    "ALTER TABLE match ADD COLUMN a int, ADD COLUMN b int NOT NULL DEFAULT 0, ADD COLUMN c int DEFAULT 0 NOT NULL",
    "ALTER TABLE version DROP CONSTRAINT version_phase_check",
    "CREATE TABLE fresh (a int NOT NULL);\nCREATE INDEX fresh_a ON fresh (a);\nALTER TABLE fresh ADD CONSTRAINT a CHECK (a > 0)",
    "CREATE TRIGGER t AFTER UPDATE OF rated_n ON match FOR EACH ROW EXECUTE FUNCTION f()",
    "CREATE VIEW v AS SELECT 1"
  ]
  it.each(taken)("is taken with %s", (statement) => assert.deepStrictEqual(findings(statement), []))

  it("of the first ones, which all nodes were stopped for, would have been refused where it writes a large table anew", () => {
    const found = findings(textOf(released.get(4)!))
    assert.lengthOf(
      found.filter((one) => one.startsWith("UPDATE match")),
      1
    )
    assert.lengthOf(
      found.filter((one) => one.startsWith("CREATE INDEX match_")),
      5
    )
  })
})
