/**
 * Whatever is written, the cache lets go at once what has changed by it, and little else. Every
 * shared answer of a small world is kept; after each write what it would be now is asked when nothing
 * is kept any more, and compared.
 */

import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { SeasonEvents } from "@agon/server/actor/SeasonEvents.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as A from "../support/Administration.ts"
import { decide, say } from "../support/Commenting.ts"
import * as Small from "../support/SmallWorld.ts"
import { effects, games, pathsOf, picks, readerOf, untried } from "../support/sharedAnswers.ts"
import * as Writing from "../support/Writing.ts"

interface Write {
  readonly title: string
  readonly write: (world: Small.World) => Effect.Effect<unknown, any, any>
  /** Some of what it must change, or the test would show nothing. */
  readonly changes: ReadonlyArray<string>
  /** Answers that may go besides, though they say the same as before. */
  readonly also?: RegExp
}

const none = /^$/
/** Reads that show those of `one` who may have been in a match. */
const sides =
  "(models|profiles|versions)/(Adder|Boa|ada|bob|adder1|boa1|base1)|leaderboard/matrix.*season=one|matches/one-.*related|(owner|model|version|vs)=(ada|bob|Adder|Boa|adder1|boa1)"
/** Lists that are not of one season, and the records of models against others. */
const everywhere = "matches\\?(model|version|owner|vs)=|/related$|/rivals$"
const some = (...patterns: ReadonlyArray<string>) => new RegExp(patterns.join("|"))

const as = (name: string) =>
  Effect.map(A.rows<{ readonly id: string }>`SELECT id FROM account WHERE username = ${name}`, ([row]) => row!.id)

/** Reads of the featured season. */
const byDefaultPaths = ["/v1/games", games, `${games}/leaderboard`, "/v1/matches", "/v1/models/Cobra/season"]
const byDefault = `^(/v1/games|${games}|${games}/leaderboard|${games}/leaderboard/(series|matrix)|/v1/matches|/v1/models/Cobra/season)$`
/** Reads that show the record of `one`, which is not featured before an administrator says so. */
const recorded = [`${games}/seasons`, `${games}/seasons/one`]
const ladderOf = (slug: string, ladder: string) => `${games}/leaderboard?season=${slug}&ladder=${ladder}`

const isKept = (path: string) => Effect.map(ResponseCache, (cache) => cache.getUnsafe(path) !== undefined)

/** Plays until somebody's version has: a match of baselines alone shows on no podium. */
const playOfSomebody = Effect.fnUntraced(function* (season_id: string) {
  for (let i = 0; i < 20; i++) {
    const match = yield* Small.play(season_id)
    const [found] = yield* A.rows<{ readonly n: number }>`SELECT count(owner_id)::int AS n FROM seat WHERE match_id = ${match!}`
    if (found!.n > 0) return
  }
  assert.fail("twenty matches of baselines alone")
})

/**
 * Until a season's row says so and what the actor tells after its commit has come to the
 * cache; it goes by the clock.
 */
const until = (season_id: string, holds: (row: { readonly closed: boolean; readonly round: number | null }) => boolean) =>
  A.rows<{ readonly closed: boolean; readonly round: number | null }>`
    SELECT closed_at IS NOT NULL AS closed, (SELECT max(n) FROM round r WHERE r.season_id = s.id AND started_at IS NOT NULL) AS round
    FROM season s WHERE id = ${season_id}`.pipe(
    Effect.map(([row]) => holds(row!)),
    Effect.repeat({ until: (holds) => holds, schedule: Schedule.spaced("30 millis") }),
    Effect.andThen(Effect.repeat(isKept(ladderOf("one", "open")), { while: (kept) => kept, schedule: Schedule.spaced("10 millis") })),
    Effect.timeoutOption("20 seconds") // the test then shows what is stale
  )
/** Sets the round's start to a moment that is still to come when it is asked, on a busy machine too. */
const soon = Effect.suspend(() => A.patch(A.urlOf("one", "/rounds/1"), { starts_at: new Date(Date.now() + 300).toISOString() })).pipe(
  Effect.repeat({ until: ({ status }) => status === 200, times: 20 })
)
const begun = (season_id: string) => until(season_id, ({ round }) => round !== null)
const closed = (season_id: string) => until(season_id, ({ closed }) => closed)

/**
 * A model of bob's that had played nowhere stands on the ladder of `two`, by rows that no
 * event of this node has told of.
 */
const unseen = Effect.fnUntraced(function* ({ cobra, idle, two }: Small.World) {
  const sql = yield* SqlClient.SqlClient
  const of = (table: string, change: object) =>
    sql.unsafe(
      `INSERT INTO ${table} SELECT (jsonb_populate_record(t, $1::text::jsonb)).* FROM ${table} t WHERE ${table === "version" ? "id" : "version_id"} = $2`,
      [JSON.stringify(change), cobra.version]
    )
  const version = "01950002-0000-7000-8000-000000000888"
  const owner_id = yield* as("bob")
  yield* of("version", { id: version, model_id: idle, owner_id, ord: 99, weights_hash: "sha256:x", manifest_hash: "sha256:y" })
  yield* of("rating", { version_id: version, ord: 99, mu: 500 })
  const events = yield* SeasonEvents
  yield* events.claimed({ id: two.id, game: "snakes", slug: "two" })
})

const candidate = "01950002-0000-7000-8000-000000000999"
const submit = ({ adder, one }: Small.World) =>
  Effect.flatMap(as("ada"), (owner) =>
    A.tell(one.id, {
      ...{ _tag: "SubmitVersion", version: candidate, model: adder.model, owner, number: 2, note: null, eligible: true, retired: false },
      ...{ weights_hash: `sha256:${"e".repeat(64)}`, manifest_hash: `sha256:${"f".repeat(64)}`, files: null }
    } as const)
  )

const edits: ReadonlyArray<Write> = [
  { title: "nothing at all", write: () => Effect.void, changes: [] },
  { title: "a bio", write: () => A.patch("/v1/me", { bio: "x" }, "ada"), changes: ["/v1/profiles/ada"] },
  { title: "a display name", write: () => A.patch("/v1/me", { display_name: "A." }, "ada"), changes: ["/v1/profiles/ada"] },
  { title: "a new model", write: () => Small.modelOf("ada", "Dasher"), changes: ["/v1/profiles/ada"] },
  {
    title: "a model's new name",
    write: ({ adder }) => A.patch(`/v1/models/${adder.model}`, { name: "Adder II" }, "ada"),
    changes: [
      ...["/v1/models/Adder", "/v1/versions/adder1", "/v1/profiles/ada", ladderOf("one", "open"), "/v1/matches?season=one"],
      ...["/v1/models/Adder/story", "/v1/stories"]
    ],
    // Whether Adder stands on the podium is up to the matches that were drawn; the season's names go together.
    also: some(everywhere, "/models/Adder/", "^/v1/matches/one-", "/one/podium$")
  },
  {
    title: "a name that is refused",
    write: ({ boa }) => A.patch(`/v1/models/${boa.model}`, { name: "Idle" }, "bob"),
    changes: [],
    also: some(
      everywhere,
      "/models/Boa",
      "/profiles/bob",
      "^/v1/matches/one-",
      "podium",
      "leaderboard.*season=one",
      "matches.season=one",
      "boa1"
    )
  },
  {
    title: "a model's retirement",
    write: ({ idle }) => A.patch(`/v1/models/${idle}`, { retired: true }, "bob"),
    changes: ["/v1/models/Idle", "/v1/profiles/bob"],
    also: some("Idle")
  },
  {
    title: "a note",
    write: ({ adder }) => A.patch(`/v1/versions/${adder.version}`, { note: "hm" }, "ada"),
    changes: ["/v1/models/Adder", "/v1/versions/adder1"],
    also: some("version=adder1")
  }
]

/** The last comment of ada's. */
const lastSaid = A.rows<{ readonly id: string }>`SELECT id FROM comment ORDER BY created_at DESC, id DESC LIMIT 1`
const onLast = <E, R>(write: (id: string) => Effect.Effect<unknown, E, R>) => Effect.flatMap(lastSaid, ([row]) => write(row!.id))
/** Reads that show a comment on the first match of `one`, or count it. */
const speaking = ["/v1/threads?match=one-a", "/v1/matches/one-a", "/v1/matches?season=one&sort=discussed"]
const authored = "/v1/profiles/ada/comments"
/** Other lists of the season, those of sides, related matches, and the frame, which goes with its match. */
const counting = some("season=one", "matches\\?(model|version|owner|vs)=", "/related$", "one-a", "comments$")

const talk: ReadonlyArray<Write> = [
  {
    title: "a comment that waits, which starts its thread",
    write: ({ matches }) => say("ada", { match: matches.one[0]! }, "Oh."),
    changes: ["/v1/threads?match=one-a"],
    also: counting
  },
  { title: "its approval", write: () => onLast((id) => decide(id, "approved")), changes: [...speaking, authored], also: counting },
  {
    title: "another comment",
    write: ({ matches }) => say("ada", { match: matches.one[0]! }, "Ah."),
    changes: [...speaking, authored], // which lists and related matches show it is up to the matches that were drawn
    also: counting
  },
  {
    title: "a report",
    write: () => onLast((id) => A.post(`/v1/comments/${id}/reports`, { reason: "x" }, "bob")),
    changes: []
  },
  { title: "its removal", write: () => onLast((id) => decide(id, "removed")), changes: [...speaking, authored], also: counting },
  { title: "its return", write: () => onLast((id) => decide(id, "approved")), changes: [...speaking, authored], also: counting },
  {
    title: "its deletion",
    write: () => onLast((id) => A.remove(`/v1/comments/${id}`, undefined, "ada")),
    changes: [...speaking, authored],
    also: counting
  },
  {
    title: "a comment on a model",
    write: ({ adder }) => say("ada", { model: adder.model }, "Mine."),
    changes: ["/v1/threads?model=Adder", authored]
  },
  {
    title: "a locked thread",
    write: () =>
      Effect.flatMap(A.rows<{ readonly id: string }>`SELECT id FROM thread WHERE model_id IS NOT NULL`, ([row]) =>
        A.patch(`/v1/admin/threads/${row!.id}`, { locked: true })
      ),
    changes: ["/v1/threads?model=Adder"]
  }
]

/** The first announcement of all. */
const onAnnouncement = <E, R>(write: (path: string) => Effect.Effect<unknown, E, R>) =>
  Effect.flatMap(A.rows<{ readonly id: string }>`SELECT id FROM announcement ORDER BY id LIMIT 1`, ([row]) =>
    write(`/v1/admin/announcements/${row!.id}`)
  )
const keptPost = ["/v1/posts/kept", "/v1/stories"]

const writing: ReadonlyArray<Write> = [
  { title: "an announcement", write: () => Writing.announce("New"), changes: ["/v1/announcements"] },
  {
    title: "an announcement's new wording",
    write: () => onAnnouncement((path) => A.patch(path, { title: "Newer" })),
    changes: ["/v1/announcements"]
  },
  { title: "an announcement's removal", write: () => onAnnouncement((path) => A.remove(path)), changes: ["/v1/announcements"] },
  { title: "a post that is a draft", write: () => Writing.post("draft", { published_at: null }), changes: [] },
  { title: "its new title", write: () => A.patch("/v1/admin/posts/draft", { title: "x" }), changes: [] },
  { title: "its publication", write: () => A.patch("/v1/admin/posts/draft", { published_at: A.past }), changes: ["/v1/stories"] },
  { title: "a slug that is taken", write: () => A.patch("/v1/admin/posts/draft", { slug: "kept" }), changes: [] },
  { title: "its removal", write: () => A.remove("/v1/admin/posts/draft"), changes: ["/v1/stories"] },
  { title: "a post's new title", write: () => A.patch("/v1/admin/posts/kept", { title: "x" }), changes: keptPost },
  { title: "a post's end as one", write: () => A.patch("/v1/admin/posts/kept", { published_at: null }), changes: keptPost },
  {
    title: "a story that is written, and submitted",
    write: ({ adder }) =>
      Effect.andThen(Writing.write("ada", adder.model, "Draft.", false), Writing.write("ada", adder.model, "I was beaten.")),
    changes: []
  },
  { title: "its rejection", write: ({ adder }) => Writing.decide(adder.model, "rejected"), changes: [] },
  {
    title: "its approval after all",
    write: ({ adder }) => Writing.decide(adder.model, "approved"),
    changes: ["/v1/models/Adder/story", "/v1/stories"]
  },
  {
    title: "another story's approval, which is not featured",
    write: ({ boa }) => Writing.story("bob", boa.model, "I won."),
    changes: ["/v1/models/Boa/story"]
  },
  {
    title: "a story in the feed",
    write: ({ boa }) => Writing.decide(boa.model, "approved", { featured: true }),
    changes: ["/v1/models/Boa/story", "/v1/stories"]
  },
  {
    title: "a story that is taken back",
    write: ({ boa }) => Writing.decide(boa.model, "rejected"),
    changes: ["/v1/models/Boa/story", "/v1/stories"]
  }
]

const firstPick = A.rows<{ readonly id: string }>`SELECT id FROM pick ORDER BY picked_at LIMIT 1`
const pickOf = (match: string) => A.post("/v1/admin/picks", { match })

const audience: ReadonlyArray<Write> = [
  { title: "a pick", write: ({ matches }) => pickOf(matches.one[0]!), changes: [picks] },
  { title: "a pick of what is picked", write: ({ matches }) => pickOf(matches.one[0]!), changes: [] },
  { title: "another pick", write: ({ matches }) => pickOf(matches.one[1]!), changes: [picks] },
  {
    title: "its end",
    write: () => Effect.flatMap(firstPick, ([row]) => A.remove(`/v1/admin/picks/${row!.id}`)),
    changes: [picks]
  },
  { title: "a pick of what will count no more", write: ({ matches }) => pickOf(matches.one[0]!), changes: [picks] },
  {
    title: "word to everybody, what they read of it, and a view",
    write: () =>
      Effect.all([
        A.post("/v1/admin/notifications", { subject: "hi" }),
        A.post("/v1/me/notifications/read", { all: true }, "ada"),
        A.patch("/v1/me/notification-settings", { season_closed: false }, "ada"),
        A.post("/v1/events", { kind: "game", id: "snakes" })
      ]),
    changes: []
  }
]

const plays: ReadonlyArray<Write> = [
  { title: "a candidate", write: submit, changes: recorded },
  {
    title: "a candidate's files",
    write: ({ one }) => A.tell(one.id, { _tag: "ReceiveFiles", version: candidate, weights_bytes: 100, manifest_bytes: 10 }),
    changes: [],
    also: some("/seasons(/one)?$")
  },
  { title: "a candidate's review", write: ({ one }) => Small.review(one.id, true), changes: [], also: some("/seasons(/one)?$") },
  {
    title: "a candidate's entry, its trials included",
    write: ({ one }) => Small.enter(one.id, candidate),
    changes: [...recorded, ladderOf("one", "open"), "/v1/models/Adder", "/v1/versions/adder1", "/v1/profiles/ada"],
    also: some(everywhere, "seasons/one/", "season=one", "/models/(Adder|Boa)", "versions/(adder1|boa1|base1)", "profiles/(ada|bob)")
  },
  {
    title: "a rated match",
    write: ({ one }) => playOfSomebody(one.id),
    changes: [...recorded, ladderOf("one", "open"), `${games}/seasons/one/podium`, "/v1/matches?season=one"],
    also: some("seasons/one/", "models/.*season=one", sides)
  },
  {
    title: "a match that could not be played",
    write: ({ one }) => Small.fail(one.id),
    changes: [],
    also: some(sides)
  }
]

const administration: ReadonlyArray<Write> = [
  { title: "another administrator", write: () => A.patch("/v1/admin/users/bob", { admin: true }), changes: [] },
  { title: "a listed word", write: () => A.post("/v1/admin/words", { word: "darn" }), changes: [] },
  {
    title: "a board out of play",
    write: () => A.patch(A.urlOf("one", "/maps/plain"), { enabled: false }),
    changes: [...recorded, `${games}/seasons/one/maps?boards=true`, `${games}/seasons/one/maps/plain`],
    also: some("maps/duel", sides) // matches that were queued on it are withdrawn
  },
  { title: "boards brought from another season", write: () => A.post(A.urlOf("two", "/maps/import"), { from: "one" }), changes: [] },
  {
    title: "a baseline out of play",
    write: () => A.patch(A.urlOf("one", "/baselines/base2"), { enabled: false }),
    changes: [...recorded, ladderOf("one", "open")],
    also: some(everywhere, "seasons/one/", "season=one", "/models/(Adder|Boa)", "versions/(adder1|boa1|base1)", "profiles/(ada|bob)")
  },
  {
    title: "a round to come",
    write: () => A.post(A.urlOf("one", "/rounds"), { kind: "round", games: 5, starts_at: A.later }),
    changes: recorded,
    also: some(byDefault, "models/(Adder|Boa|Cobra)$", "versions/")
  },
  {
    title: "a round that begins",
    write: ({ one }) => Effect.andThen(soon, begun(one.id)),
    changes: [...recorded, ladderOf("one", "open"), ladderOf("one", "nano")],
    also: some(byDefault, everywhere, "one", "adder1|boa1|Adder|Boa|ada|bob|base1", "models/Cobra$")
  },
  { title: "the featured season", write: () => A.post(A.urlOf("one", "/featured")), changes: byDefaultPaths, also: some("/seasons$") },
  {
    title: "a fleet",
    write: () => A.patch(A.urlOf("one", "/fleet"), { matches: "own" }),
    changes: [],
    also: some(byDefault, "/seasons(/one)?$", "models/(Adder|Boa|Cobra)$", "versions/")
  },
  {
    title: "word to the participants, a runner key, an administrator",
    write: () =>
      Effect.all([
        A.post(A.urlOf("one", "/notify"), { subject: "hi" }),
        A.post(A.urlOf("one", "/runner-keys"), { name: "x" }),
        A.post(A.urlOf("one", "/admins"), { username: "ada" }),
        A.post(A.urlOf("one", "/participants"), { logins: ["x"], provider: "hub" })
      ]),
    changes: []
  },
  {
    title: "a participant, an administrator and a listed word less",
    write: () =>
      Effect.flatMap(A.rows<{ readonly id: string }>`SELECT id FROM participant LIMIT 1`, ([row]) =>
        Effect.all([
          A.remove(A.urlOf("one", "/participants"), { id: row!.id }),
          A.remove(A.urlOf("one", "/admins"), { username: "ada" }),
          A.remove("/v1/admin/words/darn")
        ])
      ),
    changes: []
  },
  {
    title: "another board",
    write: () => A.post(A.urlOf("one", "/maps"), { ...snakesBoards[0], map_id: "another" }),
    changes: [`${games}/seasons/one/maps?boards=true`],
    also: some("/seasons(/one)?$", "/seasons/one/maps/")
  },
  {
    title: "a fill",
    write: () => A.patch(A.urlOf("one", "/fill"), { enabled: true }),
    changes: [],
    also: some(byDefault, "/seasons(/one)?$", "models/(Adder|Boa|Cobra)$", "versions/")
  },
  {
    title: "baselines that are recorded and wait for their files",
    write: () =>
      Effect.andThen(
        A.post(A.urlOf("two", "/baselines"), {
          name: "recorded",
          weights_hash: `sha256:${"8".repeat(64)}`,
          manifest_hash: `sha256:${"9".repeat(64)}`
        }),
        A.post(A.urlOf("two", "/baselines/import"), { from: "one" })
      ),
    changes: [`${games}/seasons`, `${games}/seasons/two`]
  },
  {
    title: "another season",
    write: () => A.season("three", { submissions_open_at: A.later }),
    changes: [`${games}/seasons`],
    also: some(byDefault, everywhere, "models/[A-Z][a-z]+$", "profiles/", "/picks$")
  },
  {
    title: "a season's rules, before it opens",
    write: () => A.patch(A.urlOf("three"), { rules: { note_max_length: 99 } }),
    changes: [`${games}/seasons`],
    also: some(byDefault)
  },
  { title: "a season's entry", write: () => A.patch(A.urlOf("three", "/entry"), { entry: "restricted" }), changes: [`${games}/seasons`] }
]

const ends: ReadonlyArray<Write> = [
  {
    title: "a disqualification",
    write: ({ boa }) => A.post(A.urlOf("one", `/versions/${boa.version}/disqualify`), { reason: "x", void_matches: false }),
    changes: [...recorded, ladderOf("one", "open"), "/v1/models/Boa", "/v1/versions/boa1", "/v1/profiles/bob"],
    also: some(byDefault, everywhere, "one", "Adder|Boa", "versions/(adder1|boa1|base1)", "profiles/")
  },
  {
    title: "its end",
    write: ({ boa }) => A.post(A.urlOf("one", `/versions/${boa.version}/reinstate`)),
    changes: [...recorded, ladderOf("one", "open"), "/v1/models/Boa", "/v1/versions/boa1", "/v1/profiles/bob"],
    also: some(byDefault, everywhere, "one", "Adder|Boa", "versions/(adder1|boa1|base1)", "profiles/")
  },
  {
    title: "a match that counts no more",
    write: ({ matches }) => A.post(A.urlOf("one", `/matches/${matches.one[0]}/void`), { reason: "x" }),
    changes: [...recorded, "/v1/matches?season=one", "/v1/matches/one-a", "/v1/matches/one-a/frame", "/v1/models/Adder/rivals", picks],
    also: some(byDefault, "/picks$", everywhere, "one", "Adder|Boa|Cobra|Idle", "versions/(adder1|boa1|base1)", "profiles/")
  },
  {
    title: "a season's end",
    write: ({ one }) => Effect.andThen(A.post(A.urlOf("one", "/close")), closed(one.id)),
    changes: [...recorded, `${games}/seasons/one/podium`, ladderOf("one", "open")],
    also: some(byDefault, everywhere, "one", "Adder|Boa|Cobra", "versions/(adder1|boa1|base1)", "profiles/")
  },
  {
    title: "what another node wrote to a season before this one took it over",
    write: unseen,
    changes: [ladderOf("two", "open"), "/v1/models/Idle", "/v1/profiles/bob"],
    also: some(byDefault, everywhere, "two", "models/", "versions/(cobra1|base2)", "profiles/", "/seasons$", "/picks$")
  }
]

layer(A.layer, A.options)("the cache", (it) => {
  let world: Small.World | undefined
  let paths: ReadonlyArray<string> = []

  it.effect("keeps every shared answer of a small world", () =>
    Effect.gen(function* () {
      world = yield* Small.world
      for (const slug of ["kept", "other"]) yield* Writing.post(slug)
      yield* Writing.announce("Old")
      yield* Writing.story("ada", world.adder.model, "I am Adder.", true)
      yield* Writing.story("bob", world.boa.model, "I am Boa.")
      paths = pathsOf(world)
      const { kept } = yield* effects(paths, Effect.void)
      assert.strictEqual(kept, paths.length)
    })
  )

  for (const { also = none, changes, title, write } of [...edits, ...talk, ...writing, ...audience, ...plays, ...administration, ...ends]) {
    it.effect(`lets go what has changed by ${title}, and nothing else`, () =>
      Effect.gen(function* () {
        const nameOf = readerOf(world!)
        const { changed, needless, stale } = yield* effects(paths, write(world!))
        assert.deepStrictEqual(stale.map(nameOf), [], "these are untrue now")
        assert.includeMembers(changed.map(nameOf), [...changes], "these should have changed")
        assert.deepStrictEqual(
          needless.map(nameOf).filter((path) => !also.test(path)),
          [],
          "these are as they were"
        )
        if (changes.length === 0) assert.deepStrictEqual(changed.map(nameOf), [])
      })
    )
  }

  it.effect("has been tried with every route that writes, but for those that no shared answer shows", () =>
    Effect.sync(() => assert.deepStrictEqual(untried(), { missing: [], needless: [] }, "add a write above, or the route to those unshown"))
  )
})
