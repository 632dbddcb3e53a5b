/** The site's word list: kept by administrators, and in force with the next text that anybody sends. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as A from "../support/Administration.ts"
import { say } from "../support/Commenting.ts"
import * as Fixture from "../support/Fixture.ts"
import { call } from "../support/Web.ts"
import { withoutLog } from "../support/withoutLog.ts"

const path = "/v1/admin/words"
const list = (query = "") => A.read(`${path}${query}`)
const listed = Effect.map(list(), ({ json }) => json.words.map(({ word }: any) => word))
const add = (word: unknown) => A.post(path, { word })
const remove = (word: string) => A.remove(`${path}/${encodeURIComponent(word)}`)
const log = Effect.map(
  A.rows<{ readonly action: string; readonly subject: string }>`
    SELECT action, subject FROM audit WHERE action LIKE 'word.%' ORDER BY id`,
  (rows) => rows.map(({ action, subject }) => [action, subject])
)

layer(A.layer, A.options)("the word list", (it) => {
  it.effect("takes a word once, however it is written, and lists it as it was first", () =>
    Effect.gen(function* () {
      const first = yield* add("Blöd")
      assert.deepStrictEqual([first.status, Object.keys(first.json), first.json.word], [201, ["word", "added_at"], "Blöd"])
      for (const same of ["Blöd", "BLOD", "ｂｌｏｄ", "b\u200blo\u0308d"]) {
        const again = yield* add(same)
        assert.deepStrictEqual([again.status, again.text], [201, first.text], same)
      }
      yield* add("anders")
      yield* add("Ärger")
      const all = yield* list()
      assert.deepStrictEqual([yield* listed, all.json.total, all.json.next_cursor], [["anders", "Ärger", "Blöd"], 3, null])
      const page = yield* list("?limit=1&cursor=1")
      assert.deepStrictEqual([page.json.words[0].word, page.json.total, page.json.next_cursor], ["Ärger", 3, "2"])
      assert.deepStrictEqual(yield* log, [
        ["word.add", "Blöd"],
        ["word.add", "anders"],
        ["word.add", "Ärger"]
      ])
    })
  )

  it.effect("gives a word up by whatever spelling, once", () =>
    Effect.gen(function* () {
      const gone = yield* remove("ÄRGER")
      assert.deepStrictEqual([gone.status, gone.json.word], [200, "Ärger"])
      for (const none of ["ÄRGER", "two words", "%", "a/b", "\0", "x".repeat(300), "🐍".repeat(64)]) {
        assert.deepStrictEqual(A.refusal(yield* remove(none)), [404, "not_found"], none)
      }
      assert.deepStrictEqual(yield* listed, ["anders", "Blöd"])
      assert.deepStrictEqual((yield* log).at(-1), ["word.remove", "Ärger"])
    })
  )

  it.effect("takes nothing but a single word, and what it refuses leaves no row in the log", () =>
    Effect.gen(function* () {
      const before = [(yield* list()).text, yield* log]
      const none = [
        "",
        " ",
        "two words",
        " two words ",
        "e-mail",
        "a\tb",
        "!",
        "\u0308",
        "\u200b",
        "🐍",
        "x".repeat(65),
        "a\0b",
        "half\ud83d"
      ]
      for (const word of [...none, null, 1, ["a"], undefined]) {
        assert.deepStrictEqual(A.refusal(yield* add(word)), [400, "invalid_request"], JSON.stringify(word))
      }
      const { json } = yield* add("two words")
      assert.strictEqual(json.errors[0].path, "word")
      assert.deepStrictEqual(A.refusal(yield* A.post(path, { word: "x" }, "ada")), [403, "admin_only"])
      assert.deepStrictEqual([(yield* list()).text, yield* log], before)
    })
  )

  it.effect("changes nothing where the log takes no row", () =>
    Effect.gen(function* () {
      const before = (yield* list()).text
      for (const write of [
        call(path, { method: "POST", as: "root", json: { word: "fresh" } }),
        call(`${path}/anders`, { method: "DELETE", as: "root" })
      ]) {
        assert.strictEqual((yield* withoutLog(write)).status, 500)
        assert.strictEqual((yield* list()).text, before)
      }
    })
  )

  it.effect("of many who add one word and take it off at one time is left with it once or not at all", () =>
    Effect.gen(function* () {
      const both = Array.from({ length: 12 }, (_, n) => (n % 3 === 2 ? remove("RACE") : add(n % 2 === 0 ? "race" : "Racé")))
      const answers = yield* Effect.all(both, { concurrency: "unbounded" })
      for (const { status, text } of answers) assert.include([200, 201, 404], status, text)
      const rows = (yield* log).filter(([, subject]) => /rac/i.test(subject!))
      const adds = rows.filter(([action]) => action === "word.add").length
      const left = (yield* listed).filter((word: string) => /rac/i.test(word)).length
      assert.strictEqual(adds - (rows.length - adds), left, "each row was written once and taken off once")
    })
  )
})

layer(Fixture.layer.pipe(Layer.provideMerge(A.layer)), A.options)("a listed word", (it) => {
  it.effect("is refused in every text with the next that is sent, in whatever disguise, and inside no other word", () =>
    Effect.gen(function* () {
      const { matchIds, modelIds, versionIds } = Fixture
      const bio = (text: string) => A.patch("/v1/me", { bio: text }, "ada")
      const note = (text: string) => A.patch(`/v1/versions/${versionIds.alpha2}`, { note: text }, "ada")
      const shown = (text: string) => A.patch("/v1/me", { display_name: text }, "ada")
      const made = (text: string) => A.post("/v1/games/snakes/models", { name: text }, "ada")
      const renamed = (text: string) => A.patch(`/v1/models/${modelIds.alpha}`, { name: text }, "ada")
      const story = (text: string) => A.ask(`/v1/models/${modelIds.alpha}/story`, { method: "PUT", as: "ada", json: { body: text } })
      const comment = (text: string) => say("ada", { match: matchIds.nano }, text)
      assert.strictEqual((yield* bio("So blöd!")).status, 200)
      yield* add("Blöd")
      const disguised = [
        "so BLOD!",
        "blo\u0308d",
        "Ｂｌöｄ",
        "b\u200blod",
        "b\u00adl\u2060od",
        "𝕓𝕝𝕠𝕕",
        "(b\u0301l\u0301o\u0301d\u0301)",
        "x_blöd"
      ]
      for (const text of disguised) {
        // No name may have an invisible character, whatever it spells.
        const isNone = /\p{Cf}/u.test(text)
        for (const write of [shown, made, renamed])
          if (isNone) assert.deepStrictEqual(A.refusal(yield* write(text)), [400, "invalid_request"], text)
        for (const write of [bio, note, ...(isNone ? [] : [shown, made, renamed])]) {
          const { json, status } = yield* write(text)
          assert.deepStrictEqual([status, json.code], [422, "note_word_listed"], text)
          assert.include(json.detail, '"Blöd"')
        }
        assert.deepStrictEqual(A.refusal(yield* story(text)), [422, "story_word_listed"], text)
        const refused = yield* comment(text)
        assert.deepStrictEqual(A.refusal(refused), [422, "comment_word_listed"], text)
        assert.include(refused.json.detail, '"Blöd"')
      }
      for (const text of ["blodwyn", "oblod", "blo d", "blod1"]) {
        const statuses = [(yield* bio(text)).status, (yield* comment(text)).status, (yield* story(text)).status]
        assert.deepStrictEqual(statuses, [200, 201, 200], text)
      }
      yield* remove("blod")
      assert.strictEqual((yield* bio("So blöd!")).status, 200)
    })
  )
})
