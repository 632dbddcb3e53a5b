/**
 * Every text of every body is a name, which is trimmed and never blank, or is known to be something
 * else (docs/contract.md#types).
 */

import { Api } from "@agon/api/Api.ts"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Exit, Schema, SchemaAST } from "effect"
import { HttpApi } from "effect/http-api"
import * as A from "../support/Administration.ts"

/** The names in the API. */
const NAMES: ReadonlySet<string> = new Set(["name", "display_name", "client_name", "title", "subject", "word", "logins"])

/** Texts that are no names, by what they are. */
const OTHERS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "what people write at length": ["body", "bio", "note", "reason", "detail", "reject_detail"],
  "addresses and times": [
    "link",
    "url",
    "submissions_open_at",
    "submissions_close_at",
    "starts_at",
    "ends_at",
    "published_at",
    "updated_at"
  ],
  "slugs, ids and names that were given before": [
    ...["slug", "game", "season", "from", "provider", "providers", "maps", "baselines", "username", "admins"],
    ...["id", "ids", "match", "model", "parent_id", "version_id", "runner", "lease", "leases", "holds"]
  ],
  "codes of a sign-in": ["device_code", "user_code"],
  "what programs say of themselves, and of matches": ["runtime_version", "engine_digest", "isolation", "inline"],
  hashes: ["weights_hash", "manifest_hash", "hash", "state_sha256"]
}
const others = new Set(Object.values(OTHERS).flat())

interface Text {
  readonly at: string
  readonly key: string
  readonly ast: SchemaAST.AST
}

const textsIn = (ast: SchemaAST.AST, at: string, key: string): ReadonlyArray<Text> => {
  if (SchemaAST.isString(ast)) return [{ at, key, ast }]
  if (SchemaAST.isArrays(ast)) return ast.rest.flatMap((item) => textsIn(item, `${at}[]`, key))
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap((type) => textsIn(type, at, key))
  if (!SchemaAST.isObjects(ast)) return []
  return ast.propertySignatures.flatMap(({ name, type }) => textsIn(type, `${at}.${String(name)}`, String(name)))
}

const texts: Array<Text> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    for (const { schemas } of endpoint.payload.values()) {
      for (const { ast } of schemas as ReadonlyArray<Schema.Constraint>) texts.push(...textsIn(ast, endpoint.identifier, ""))
    }
  }
})
const names = texts.filter(({ key }) => NAMES.has(key))

/** Texts of a paragraph or more that others read: kept as they were written, and never blank. */
const READ_BY_OTHERS: ReadonlySet<string> = new Set([
  ...["postComment.body", "reportComment.reason", "addPost.body", "editPost.body"],
  ...["announce.body", "editAnnouncement.body", "pick.note"]
])

/** Texts of people, of any length; a runner's `reason` and `detail` are not such. */
const READ_AT_LENGTH: ReadonlySet<string> = new Set(["body", "bio", "note"])
const REASONS = ["disqualifyVersion.reason", "voidMatch.reason", "reportComment.reason"]

/** Names that are none, by a character between visible ones. */
const UNFIT = ["a\u202eb", "a\u200bb", "a\nb", "a\u2028b", "a\ue000b", "a\u3164b"]

const blanks = ["", "  ", "\t\n", "\u00a0\u3000", "\u200b\u200d\u2060\ufeff", "\u202e\u2066\u200f", "\u00ad", "\u2800", "\u3164"]
const padded = " \u00a0a\u200b "

describe("a text in a body", () => {
  it("is a name, or is known to be none", () => {
    const unknown = texts.filter(({ key }) => !NAMES.has(key) && !others.has(key)).map(({ at }) => at)
    assert.deepStrictEqual(unknown, [], "say in this test what these are")
    const found = new Set(texts.map(({ key }) => key))
    assert.deepStrictEqual(
      [...NAMES, ...others].filter((key) => !found.has(key)),
      [],
      "no body has these any more"
    )
    assert.isAtLeast(names.length, 13)
  })

  it("that is a name is trimmed and never blank; one that is a slug takes no such thing", () => {
    for (const { ast, at } of names) {
      const read = Schema.decodeUnknownExit(Schema.make<Schema.Codec<string>>(ast))
      for (const blank of blanks) assert.isTrue(Exit.isFailure(read(blank)), `${at}: ${JSON.stringify(blank)}`)
      assert.deepStrictEqual(read("a"), Exit.succeed("a"), at)
      const spaced = read(padded)
      if (at === "recordBaseline.name") assert.isTrue(Exit.isFailure(spaced), at)
      else assert.deepStrictEqual(spaced, Exit.succeed("a"), at)
    }
  })

  it("that is a name is in one form of Unicode, and has nothing invisible; a login and a word are compared as they are", () => {
    for (const { ast, at, key } of names.filter(({ at }) => at !== "recordBaseline.name")) {
      const read = Schema.decodeUnknownExit(Schema.make<Schema.Codec<string>>(ast))
      const isCompared = key === "logins" || key === "word"
      assert.deepStrictEqual(read("Zoe\u0308"), Exit.succeed(isCompared ? "Zoe\u0308" : "Zoë"), at)
      for (const unfit of UNFIT) assert.strictEqual(Exit.isFailure(read(unfit)), !isCompared, `${at}: ${JSON.stringify(unfit)}`)
    }
  })

  it("that others read at length has no controls, and nothing that turns text around", () => {
    const read = texts.filter(({ at, key }) => READ_AT_LENGTH.has(key) || REASONS.includes(at))
    assert.isAtLeast(read.length, 11)
    for (const { ast, at } of read) {
      const decode = Schema.decodeUnknownExit(Schema.make<Schema.Codec<string>>(ast))
      for (const text of ["a\u202eb", "a\u2066b", "a\u001bb"]) assert.isTrue(Exit.isFailure(decode(text)), `${at}: ${JSON.stringify(text)}`)
      for (const text of ["a\r\n\tb", "👩\u200d🚀", "علي"]) assert.deepStrictEqual(decode(text), Exit.succeed(text), at)
    }
  })

  it("that others read at length is kept as it was written, and is never blank", () => {
    const read = texts.filter(({ at }) => READ_BY_OTHERS.has(at))
    assert.deepStrictEqual(new Set(read.map(({ at }) => at)), READ_BY_OTHERS)
    for (const { ast, at } of read) {
      const decode = Schema.decodeUnknownExit(Schema.make<Schema.Codec<string>>(ast))
      for (const blank of blanks) assert.isTrue(Exit.isFailure(decode(blank)), `${at}: ${JSON.stringify(blank)}`)
      assert.deepStrictEqual(decode(padded), Exit.succeed(padded), at)
    }
  })
})

layer(A.layer, A.options)("a name that is sent", (it) => {
  it.effect("is answered as it was trimmed, is one with its like, and is refused where it shows nothing", () =>
    Effect.gen(function* () {
      const models = "/v1/games/snakes/models"
      const made = yield* A.post(models, { name: "  Adder\u00a0" }, "ada")
      assert.deepStrictEqual([made.status, made.json.name], [201, "Adder"])
      assert.deepStrictEqual(A.refusal(yield* A.post(models, { name: "\u200bAdder " }, "ada")), [409, "model_name_taken"])
      const renamed = yield* A.patch("/v1/me", { display_name: "\tAda " }, "ada")
      assert.deepStrictEqual([renamed.status, renamed.json.display_name], [200, "Ada"])
      const season = yield* A.post("/v1/games/snakes/seasons", { ...A.seasonBody("x"), name: " Spring ", slug: undefined })
      assert.deepStrictEqual([season.status, season.json.name, season.json.slug], [201, "Spring", "spring"])
      for (const blank of blanks) {
        const refused = [
          yield* A.post(models, { name: blank }, "ada"),
          yield* A.patch(`/v1/models/${made.json.id}`, { name: blank }, "ada"),
          yield* A.patch("/v1/me", { display_name: blank }, "ada"),
          yield* A.post("/v1/games/snakes/seasons", { ...A.seasonBody("y"), name: blank }),
          yield* A.post("/v1/runner-keys", { name: blank }),
          yield* A.post("/v1/admin/posts", { slug: "x", title: blank, body: "x" }),
          yield* A.post("/v1/admin/announcements", { title: blank, body: "x" }),
          yield* A.post("/v1/admin/notifications", { subject: blank }),
          yield* A.post("/v1/admin/words", { word: blank })
        ]
        for (const { json, status } of refused) {
          assert.deepStrictEqual([status, json.code], [400, "invalid_request"], JSON.stringify(blank))
          assert.match(json.detail, /takes text of 1 to \d+ characters, not all of them blank\.$/)
        }
      }
    })
  )
  it.effect("is one however it is composed, and is refused with the character that no name may have", () =>
    Effect.gen(function* () {
      const models = "/v1/games/snakes/models"
      const made = yield* A.post(models, { name: "Zoe\u0308" }, "ada")
      assert.deepStrictEqual([made.status, made.json.name], [201, "Zoë"])
      for (const name of ["Zoë", "Zoe\u0308"]) {
        assert.deepStrictEqual(A.refusal(yield* A.post(models, { name }, "ada")), [409, "model_name_taken"])
        assert.strictEqual((yield* A.patch(`/v1/models/${made.json.id}`, { name }, "ada")).json.name, "Zoë")
      }
      for (const name of ["علي", "👩\u200d👩\u200d👧\u200d👦", "க்\u200cஷ"]) {
        assert.strictEqual((yield* A.post(models, { name }, "ada")).json.name, name)
        assert.strictEqual((yield* A.patch("/v1/me", { display_name: name, bio: `${name}\n\t` }, "ada")).json.display_name, name)
      }
      const writes = [
        ["name", A.post(models, { name: "Ad\u202eder" }, "ada")],
        ["name", A.patch(`/v1/models/${made.json.id}`, { name: "Ad\u202eder" }, "ada")],
        ["display_name", A.patch("/v1/me", { display_name: "Ad\u202eder" }, "ada")],
        ["bio", A.patch("/v1/me", { bio: "Ad\u202eder" }, "ada")],
        ["name", A.post("/v1/games/snakes/seasons", { ...A.seasonBody("z"), name: "Ad\u202eder" })],
        ["title", A.post("/v1/admin/posts", { slug: "z", title: "Ad\u202eder", body: "x" })],
        ["body", A.post("/v1/admin/posts", { slug: "z", title: "x", body: "Ad\u202eder" })]
      ] as const
      for (const [path, write] of writes) {
        const { json, status } = yield* write
        assert.deepStrictEqual([status, json.code], [400, "invalid_request"], path)
        assert.deepStrictEqual(json.errors, [{ path, message: "Character 3 is U+202E, which is not allowed" }])
      }
    })
  )
})
