/**
 * Every form of the administration pages beside a real service: once as it is taken, and
 * once as the service refuses it.
 */
import { wasText } from "@agon/site/admin/editConflict.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { OPEN_SEASON } from "../support/openSeason.ts"
import { type At, formsOf, visitor } from "../support/PageForms.ts"
import { assertPage, ILL, postForm, siteAnswers } from "../support/Pages.ts"
import { retryPutOff } from "../support/putOff.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const { matchIds: x, modelIds: m } = Fixture
const OF = { game: "snakes", slug: "typed" } as const
const ADMIN = `/games/snakes/seasons/${OF.slug}/admin`
const NOBODY = Fixture.uuid("thread", 999)
const HASH = `sha256:${"ab".repeat(32)}`

type Fields = Readonly<Record<string, string>>

interface Tried {
  readonly at: string
  readonly form: string
  readonly good: Fields
  /** The change that makes the good one one that the service refuses. */
  readonly ill: Fields
  readonly refusal: number
}

/** Ids of what the forms are about, as the service made them. */
interface Ids {
  readonly announcement: string
  readonly comment: string
  readonly key: string
  readonly seasonKey: string
  readonly participant: string
  readonly runner: string
  readonly story: string
  readonly storyAt: string
  readonly thread: string
}

const tried = (at: string, form: string, good: Fields, ill: Fields, refusal: number): Tried => ({ at, form, good, ill, refusal })

/** As it was planned. */
const ROUND = JSON.stringify({ games: "9", starts_at: "2098-01-01T00:00" })

const ofSeason = ({ participant, seasonKey }: Ids): ReadonlyArray<Tried> => [
  tried(ADMIN, "fleet", { matches: "both", admissions: "platform" }, { matches: "none" }, 400),
  tried(ADMIN, "fill", { enabled: "yes", max_per_hour: "" }, { max_per_hour: "x" }, 400),
  tried(`${ADMIN}/boards`, "import", { from: "spring", maps: "duel" }, { from: "none" }, 404),
  tried(`${ADMIN}/baselines`, "record", { name: "first", weights_hash: HASH, manifest_hash: HASH }, { weights_hash: "x" }, 400),
  tried(`${ADMIN}/baselines`, "import", { from: "spring", baselines: "random" }, { from: "none" }, 404),
  tried(`${ADMIN}/people`, "add", { logins: "grace", provider: "dev" }, { logins: "" }, 400),
  tried(`${ADMIN}/people`, "remove", { id: participant }, { id: NOBODY }, 404),
  tried(`${ADMIN}/people`, "appoint", { username: "bob" }, { username: "nobody" }, 404),
  tried(`${ADMIN}/people`, "dismiss", { username: "bob" }, { username: "nobody" }, 404),
  tried(`${ADMIN}/rounds`, "plan", { kind: "round", games: "9", starts_at: "2098-01-01T00:00" }, { games: "0" }, 400),
  tried(`${ADMIN}/rounds`, "move", { n: "1", games: "8", starts_at: "2098-01-01T00:00", was: ROUND }, { n: "99" }, 404),
  tried(`${ADMIN}/rounds`, "withdraw", { n: "1" }, { n: "99" }, 404),
  tried(`${ADMIN}/runners`, "create", { name: "rack" }, { name: "" }, 400),
  tried(`${ADMIN}/runners`, "revoke", { key: seasonKey }, { key: NOBODY }, 404),
  tried(`${ADMIN}/notices`, "notice", { subject: "Hear", link: "/news" }, { link: "javascript:x" }, 400)
]

const ofPlatform = ({ announcement, comment, key, runner, story, storyAt, thread }: Ids): ReadonlyArray<Tried> => [
  tried("/admin/words", "add", { word: "darn" }, { word: "" }, 400),
  tried("/admin/words", "remove", { word: "darn" }, { word: "nought" }, 404),
  tried("/admin/users", "edit", { username: "bob", suspended: "yes" }, { username: "nobody" }, 404),
  tried("/admin/comments", "decide", { id: comment, state: "approved" }, { id: NOBODY }, 404),
  tried("/admin/threads", "lock", { id: thread, locked: "yes" }, { id: NOBODY }, 404),
  tried(
    "/admin/stories",
    "decide",
    { model: story, updated_at: storyAt, state: "approved" },
    { updated_at: "2020-01-01T00:00:00.000Z" },
    409
  ),
  tried("/admin/posts", "write", { was: "", slug: "a-post", title: "A", body: "B", published_at: "" }, { slug: "A POST" }, 400),
  tried("/admin/posts", "remove", { slug: "a-post" }, { slug: "none" }, 404),
  tried("/admin/announcements", "announce", { title: "A", body: "B" }, { title: "" }, 400),
  tried(
    "/admin/announcements",
    "announce",
    { id: announcement, was: wasText({ title: "A", body: "B", link: "", starts_at: "", ends_at: "" }), title: "B", body: "C" },
    { ends_at: "then" },
    400
  ),
  tried("/admin/notices", "notice", { subject: "Hear", link: "/news" }, { link: "javascript:x" }, 400),
  tried("/admin/picks", "pick", { match: x.nano, note: "Look" }, { match: NOBODY }, 404),
  tried("/admin/runners", "create", { name: "rack" }, { name: "" }, 400),
  tried("/admin/runners", "stop", { runner }, { runner: NOBODY }, 404),
  tried("/admin/runners", "revoke", { key }, { key: NOBODY }, 404)
]

const SEASON = { ...OPEN_SEASON, weight_classes: Fixture.classes, entry: "restricted", providers: ["dev"] } as const

const seeded = Effect.gen(function* () {
  const service = yield* Service.Service
  const [admin, ada] = [yield* service.as("admin"), yield* service.as("ada")]
  const create = (game: string, name: string, slug: string) =>
    admin.seasonCreation.createSeason({ params: { game }, payload: { ...SEASON, name, slug } })
  yield* create(OF.game, "Typed", OF.slug)
  yield* create("othello", "Alone", "alone")
  yield* admin.roster.addParticipants({ params: OF, payload: { logins: ["eve"] } })
  const { participants } = yield* admin.roster.participants({ params: OF, query: { limit: 1, cursor: 0 } })
  const seasonKey = yield* admin.seasonFleet.createSeasonKey({ params: OF, payload: { name: "own" } })
  const key = yield* admin.fleet.createKey({ payload: { name: "all" } })
  const machine = (yield* service.runner(key.key)).runner
  const runner = yield* machine.openSession({
    payload: {
      name: "rack",
      runtime_version: "test",
      engines: [{ game: "snakes", engine_digest: Fixture.engineDigest }],
      accepts: ["match"],
      slots: 1
    }
  })
  // The forms may be at it only after the 90 s in which a silent runner is gone. Its key is revoked in the end.
  const beat = machine.heartbeat({ payload: { runner: runner.runner, leases: [] } })
  yield* Effect.forkScoped(Effect.ignore(Effect.repeat(beat, Schedule.spaced("20 seconds"))))
  const announcement = yield* admin.editorial.announce({ payload: { title: "A", body: "B" } })
  const comment = yield* ada.community.postComment({ payload: { match: x.nano, body: "Well played" } })
  const story = yield* ada.writing.writeStory({ params: { id: m.alpha }, payload: { body: "How it came", submit: true } })
  const { thread } = yield* ada.community.thread({ query: { match: x.nano, limit: 1, cursor: 0 } })
  return {
    announcement: announcement.id,
    comment: comment.id,
    thread: thread.id!,
    key: key.id,
    seasonKey: seasonKey.id,
    participant: participants[0]!.id,
    runner: runner.runner,
    story: m.alpha,
    storyAt: story.updated_at!
  }
})

/** Subjects of the forms, by the ids that the service gave. */
class Ready extends Context.Service<Ready, Ids>()("test/Ready") {
  static readonly layer = Layer.effect(Ready, Effect.orDie(Effect.tap(seeded, () => siteAnswers)))
}

const service = SiteService.layerFixture

/** Sent by root; again as long as the account's rate of writes says. */
const sent = ({ at, form }: Tried, fields: Fields) =>
  Effect.flatMap(Service.Service, ({ origin }) => {
    const body = new URLSearchParams({ form, ...fields }).toString()
    const ask = postForm(origin, at, body, { cookie: "service_session=root-token" })
    return Effect.promise(() => retryPutOff(at, () => Effect.runPromise(ask)))
  })

const assertTried = (forms: ReadonlyArray<Tried>) =>
  Effect.forEach(forms, (one) =>
    Effect.gen(function* () {
      const name = `${one.form} at ${one.at}`
      const refused = yield* sent(one, { ...one.good, ...one.ill })
      assert.strictEqual(refused.status, one.refusal, `${name}: ${refused.text}`)
      assert.match(refused.text, /role="alert"/, name)
      assertPage(one.at, refused)
      const taken = yield* sent(one, one.good)
      assert.include([200, 303], taken.status, `${name}: ${taken.text}`)
      assert.notInclude(taken.text, 'role="alert"', name)
      if (taken.status === 303) assert.match(taken.headers.get("location")!, /[?&]done=yes#outcome$/, name)
    })
  )

layer(Ready.layer.pipe(Layer.provideMerge(service)), { excludeTestServices: true, timeout: "600 seconds" })(
  "forms of administrators",
  (it) => {
    it.effect("of a season are taken, and refused with the reason where the service refuses them", () =>
      Effect.flatMap(Ready, (ids) => assertTried(ofSeason(ids)))
    )

    it.effect("of the platform are taken, and refused with the reason where the service refuses them", () =>
      Effect.flatMap(Ready, (ids) => assertTried(ofPlatform(ids)))
    )

    it.effect("take the address of a page where an id is asked for, and say what they look for where they find neither", () =>
      Effect.gen(function* () {
        const { origin } = yield* Service.Service
        const root = visitor(origin, "service_session=root-token")
        const fault = ({ shown }: At) => /<p class="bad" id="[^"]*-fault"><bdi>(.*?)<\/bdi>/.exec(shown.text)?.[1]
        const tried = Effect.fnUntraced(function* (path: string, button: string, filled: Fields) {
          const at = yield* root.press(yield* root.open(path), button, filled)
          return [at.status, fault(at)] as const
        })
        const match = `${origin}/private/matches/${x.open}?cursor=0#turn=7`
        assert.deepStrictEqual(yield* tried("/admin/picks", "Pick", { match, note: "" }), [303, undefined])
        for (const ill of ["The final", `${origin}/models/${m.alpha}`])
          assert.deepStrictEqual(yield* tried("/admin/picks", "Pick", { match: ill, note: "" }), [
            400,
            "Paste the address of the match&#39;s page, or type its id."
          ])
        const reason = "a test"
        assert.deepStrictEqual(yield* tried(`${ADMIN}/matches`, "Void the match", { id: `/matches/${NOBODY}`, reason }), [
          404,
          `Season typed has no match ${NOBODY}.`
        ])
        const disqualified = (slug: string, id: string) =>
          tried(`/games/snakes/seasons/${slug}/admin/entries`, "Disqualify", { id, reason })
        assert.deepStrictEqual(yield* disqualified("typed", `/models/${m.beta}`), [400, "This model has no entry in contention in typed."])
        assert.deepStrictEqual(yield* disqualified("spring", `${origin}/models/${m.alpha}?season=spring#v9`), [
          400,
          "This model has no version 9 in spring."
        ])
        assert.deepStrictEqual(yield* disqualified("spring", `${origin}/models/${m.alpha}`), [303, undefined])
        assert.strictEqual((yield* disqualified("typed", "none"))[0], 400)
        assert.strictEqual((yield* disqualified("typed", `/versions/${NOBODY}`))[1], `Season typed has no version ${NOBODY}.`)
        const appointed = yield* tried(`${ADMIN}/people`, "Appoint", { username: `${origin}/people/bob` })
        assert.deepStrictEqual(appointed, [303, undefined])
      })
    )

    it.effect("offer the other seasons of the game to copy from, and no other game's", () =>
      Effect.gen(function* () {
        const { origin } = yield* Service.Service
        const root = visitor(origin, "service_session=root-token")
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE season SET name = ${ILL} WHERE slug = 'winter'`
        for (const part of ["boards", "baselines"]) {
          const { shown } = yield* root.open(`${ADMIN}/${part}`)
          const offered = formsOf(shown.text).flatMap(({ takes }) => takes.get("from") ?? [])
          assert.includeMembers([...offered], ["spring", "winter", "autumn", "secret"], part)
          assert.notInclude(offered, OF.slug, part)
        }
        const lone = yield* root.open("/games/othello/seasons/alone/admin/boards")
        assert.include(lone.shown.text, "You see no other season of this game.")
      })
    )
  }
)
