/**
 * Submitting, over HTTP on a real Postgres with the seasons' own actors: refusals, races, repeats,
 * re-entry, and what is foreseen.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as A from "../support/Administration.ts"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { bodyOf, entered, foresee, fresh, modelOf, over, reenter, submit } from "../support/Submitting.ts"

layer(A.layer, A.options)("a submission", (it) => {
  it.effect("is answered with upload URLs, and when repeated with the same version and URLs for the rest of its window", () =>
    Effect.gen(function* () {
      yield* A.season("repeated")
      const model = yield* modelOf("ada", "Adder")
      const body = bodyOf("repeated", model, { note: "first" })
      const first = yield* submit(body)
      assert.strictEqual(first.status, 201, first.text)
      const { upload, version_id, ...rest } = first.json
      assert.deepStrictEqual(rest, {
        model_id: model,
        model: "Adder",
        version: 1,
        status: "testing",
        season: "repeated",
        weights_hash: body.weights_hash,
        manifest_hash: body.manifest_hash
      })
      assert.deepStrictEqual(Object.keys(upload).sort(), ["expires_at", "manifest", "weights"])
      assert.strictEqual(upload.manifest.max_bytes, 64 * 1024)
      assert.strictEqual(upload.weights.max_bytes, Fixture.classes.at(-1)!.max_bytes)
      const again = yield* submit(body)
      assert.strictEqual(again.status, 200, again.text)
      assert.strictEqual(again.json.version_id, version_id)
      assert.strictEqual(again.json.upload.expires_at, upload.expires_at, "the window is that of the first submission")
      for (const { url } of [again.json.upload.weights, again.json.upload.manifest]) {
        const expires_s = Number(new URL(url).searchParams.get("expires"))
        assert.approximately(expires_s, Date.parse(upload.expires_at) / 1000, 2, "no URL outlives the window")
      }
    })
  )

  it.effect("is repeated whatever has come to stand in the way of a new one: a cooldown, a cap, retirement, the end of submissions", () =>
    Effect.gen(function* () {
      const rules = { max_models_per_owner: 1, max_versions_per_model: 1, cooldown_s: 3_600 }
      const { id } = yield* A.season("kept", { rules })
      const model = yield* modelOf("ada")
      const body = bodyOf("kept", model, { note: "first" })
      const first = yield* submit(body)
      assert.strictEqual(first.status, 201, first.text)
      yield* A.patch(`/v1/models/${model}`, { retired: true, name: "Renamed" }, "ada")
      const repeat = yield* submit({ ...body, note: "another" })
      assert.deepStrictEqual([repeat.status, repeat.json.version_id, repeat.json.model], [200, first.json.version_id, "Renamed"])
      assert.strictEqual((yield* A.read(`/v1/me/versions/${first.json.version_id}`, "ada")).json.note, "first", "a repeat changes nothing")
      // Both files are there: nothing is left to send, and the version is the same.
      yield* A.tell(id, { _tag: "ReceiveFiles", version: first.json.version_id, weights_bytes: 9, manifest_bytes: 9 })
      const received = yield* submit(body)
      assert.deepStrictEqual([received.status, received.json.status], [200, "testing"])
      assert.isAtMost(Date.parse(received.json.upload.expires_at), Date.now(), "its window is over")
      // One hash of the two is another version, and that is refused.
      assert.strictEqual((yield* submit({ ...body, manifest_hash: fresh() })).json.code, "model_retired")
    })
  )

  it.effect("whose window has ended makes another version, without a cooldown", () =>
    Effect.gen(function* () {
      const { id } = yield* A.season("brief", { rules: { upload_window_s: 1, cooldown_s: 3_600 } })
      const body = bodyOf("brief", yield* modelOf("ada"))
      const first = (yield* submit(body)).json
      yield* eventually(
        "the end of the window",
        Effect.sync(() => Date.now() > Date.parse(first.upload.expires_at))
      )
      yield* A.tell(id, { _tag: "Tick" })
      const { json: own } = yield* A.read(`/v1/me/versions/${first.version_id}`, "ada")
      assert.deepStrictEqual([own.status, own.phase, own.reject_reason], ["rejected", null, "upload_expired"])
      assert.isString(own.reject_detail)
      const second = yield* submit(body)
      assert.deepStrictEqual([second.status, second.json.version], [201, 2], second.text)
      assert.notStrictEqual(second.json.version_id, first.version_id)
    })
  )

  it.effect("is refused for what is wrong with its body, then for what it names, then for its note", () =>
    Effect.gen(function* () {
      yield* A.season("worded", { rules: { note_max_length: 10 } })
      yield* A.rows`INSERT INTO word (word, added_at) VALUES ('darn', now())`
      const model = yield* modelOf("ada")
      const theirs = yield* modelOf("bob")
      const right = bodyOf("worded", model)
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ ...right, weights_hash: undefined }, "400 missing_hash"],
        [{ ...right, weights_hash: null }, "400 missing_hash"],
        [{ ...right, manifest_hash: undefined }, "400 missing_hash"],
        [{ ...right, weights_hash: "sha256:abc" }, "400 invalid_request"],
        [{ ...right, weights_hash: right.weights_hash.toUpperCase() }, "400 invalid_request"],
        [{ ...right, model: 7 }, "400 invalid_request"],
        [{ ...right, game: "go", note: "x".repeat(11) }, "404 unknown_game"],
        [{ ...right, season: "none", note: "x".repeat(11) }, "404 unknown_season"],
        [{ ...right, model: theirs, note: "x".repeat(11) }, "404 unknown_model"],
        [{ ...right, model: "nothing" }, "404 unknown_model"],
        [{ ...right, note: "x".repeat(11) }, "400 note_too_long"],
        [{ ...right, note: "so DÄRN!" }, "422 note_word_listed"],
        [{ ...right, note: "🐍".repeat(10) }, "201 undefined"]
      ]
      for (const [body, expected] of cases) {
        const { json, status } = yield* submit(body)
        assert.strictEqual(`${status} ${json.code}`, expected, JSON.stringify(body))
      }
    })
  )

  it.effect("of two by one competitor at once, and of two with the same weights, exactly one wins", () =>
    Effect.gen(function* () {
      yield* A.season("raced", { rules: { max_models_per_owner: 3, cooldown_s: 0 } })
      const mine = yield* Effect.forEach(Array.from({ length: 6 }), () => modelOf("ada"))
      const bodies = mine.map((model) => bodyOf("raced", model))
      const answers = yield* Effect.forEach(bodies, (body) => submit(body), { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409])
      assert.deepStrictEqual([...new Set(answers.flatMap(({ json }) => json.code ?? []))], ["candidate_in_flight"])

      for (let round = 0; round < 5; round++) {
        yield* A.season(`weights${round}`)
        const weights_hash = fresh()
        const rivals = [
          ["ada", yield* modelOf("ada")],
          ["bob", yield* modelOf("bob")]
        ] as const
        const race = rivals.map(([as, model]) => submit(bodyOf(`weights${round}`, model, { weights_hash }), as))
        const ended = yield* Effect.all(race, { concurrency: "unbounded" })
        assert.deepStrictEqual(ended.map(({ status }) => status).sort(), [201, 409])
        assert.deepStrictEqual(
          ended.flatMap(({ json }) => json.code ?? []),
          ["weights_already_entered"]
        )
        const [{ versions }] = (yield* A.rows`SELECT count(*)::int AS versions FROM version WHERE weights_hash = ${weights_hash}`) as any
        assert.strictEqual(versions, 1)
      }
    })
  )

  it.effect("that is sent many times at once makes one version", () =>
    Effect.gen(function* () {
      yield* A.season("stormed")
      const body = bodyOf("stormed", yield* modelOf("ada"))
      const answers = yield* Effect.forEach(Array.from({ length: 8 }), () => submit(body), { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201])
      assert.lengthOf([...new Set(answers.map(({ json }) => json.version_id))], 1)
    })
  )
})

/** A season of every refusal: what stands in the way, and of whom. */
const refused = Effect.fnUntraced(function* (season: string, model: string, code: string) {
  const before = yield* foresee(season, model)
  assert.strictEqual(before.status, 200, before.text)
  const { json, status } = yield* submit(bodyOf(season, model))
  assert.strictEqual(`${status} ${json.code}`, `409 ${code}`)
  assert.deepStrictEqual(before.json.refusals[0], { code, detail: json.detail })
  return { json, foreseen: before.json }
})

layer(A.layer, A.options)("the preflight", (it) => {
  it.effect("says what is held against each cap, and nothing else where nothing stands in the way", () =>
    Effect.gen(function* () {
      yield* A.season("held", { rules: { max_models_per_owner: 3, max_versions_per_model: 7, cooldown_s: 3600 } })
      const model = yield* modelOf("ada")
      const clear = {
        game: "snakes",
        season: "held",
        open: true,
        models: { held: 0, cap: 3 },
        versions: { held: 0, cap: 7 },
        candidate: null,
        cooldown_until: null,
        refusals: []
      }
      assert.deepStrictEqual((yield* foresee("held", model)).json, clear)
      assert.deepStrictEqual((yield* foresee("held")).json, clear)
      const { json: made } = yield* submit(bodyOf("held", model))
      const { json } = yield* foresee("held", model)
      assert.deepStrictEqual(json.models, { held: 1, cap: 3 })
      assert.deepStrictEqual(json.versions, { held: 1, cap: 7 })
      assert.deepStrictEqual(json.candidate, { version_id: made.version_id, status: "testing", phase: "upload" })
      assert.isAbove(Date.parse(json.cooldown_until), Date.parse(A.past))
      assert.deepStrictEqual(
        json.refusals.map(({ code }: any) => code),
        ["cooldown", "candidate_in_flight"]
      )
      assert.strictEqual((yield* foresee("held", undefined, "bob")).json.models.held, 0)
      assert.strictEqual((yield* foresee("held", model, "bob")).json.code, "unknown_model")
      assert.strictEqual((yield* foresee("nothing")).json.code, "unknown_season")
      assert.strictEqual((yield* A.read("/v1/games/go/submission", "ada")).json.code, "unknown_game")
      assert.strictEqual((yield* A.ask("/v1/games/snakes/submission")).status, 401)
    })
  )

  it.effect("says each refusal in the very words of the submission", () =>
    Effect.gen(function* () {
      const model = yield* modelOf("ada")
      yield* A.season("early", { submissions_open_at: A.later })
      assert.isFalse((yield* refused("early", model, "season_not_open")).foreseen.open)
      yield* A.season("late", { submissions_close_at: "2026-01-02T00:00:00Z" })
      assert.isFalse((yield* refused("late", model, "season_closed")).foreseen.open)
      yield* A.season("listed", { entry: "restricted" })
      assert.isTrue((yield* refused("listed", model, "not_eligible")).foreseen.open)
      yield* A.season("elsewhere", { providers: ["lab"] })
      yield* refused("elsewhere", model, "not_eligible")

      yield* A.season("capped", { rules: { max_models_per_owner: 1, max_versions_per_model: 1, cooldown_s: 3600 } })
      const retired = yield* modelOf("ada")
      yield* A.patch(`/v1/models/${retired}`, { retired: true }, "ada")
      yield* refused("capped", retired, "model_retired")
      yield* submit(bodyOf("capped", model))
      yield* refused("capped", yield* modelOf("ada"), "model_cap_reached")
      const { foreseen } = yield* refused("capped", model, "version_cap_reached")
      assert.deepStrictEqual(
        foreseen.refusals.map(({ code }: any) => code),
        ["version_cap_reached", "cooldown", "candidate_in_flight"]
      )

      yield* A.season("paused", { rules: { cooldown_s: 3600 } })
      yield* submit(bodyOf("paused", model))
      const cooldown = yield* refused("paused", model, "cooldown")
      assert.strictEqual(cooldown.json.retry_at, cooldown.foreseen.cooldown_until)
      yield* A.season("flying", { rules: { cooldown_s: 0 } })
      yield* submit(bodyOf("flying", model))
      const inFlight = yield* refused("flying", model, "candidate_in_flight")
      assert.strictEqual(inFlight.json.version_id, inFlight.foreseen.candidate.version_id)
    })
  )

  it.effect("of a season with a roster knows a login at the roster's provider, and not the same one at another", () =>
    Effect.gen(function* () {
      const model = yield* modelOf("ada")
      yield* A.season("named", { entry: "restricted" })
      yield* A.post(A.urlOf("named", "/participants"), { logins: ["Nan"] })
      const links = (provider: string) => A.rows`INSERT INTO identity (provider, subject, account_id, login, created_at)
        SELECT ${provider}, 'nan', id, 'nan', now() FROM account WHERE username = 'ada'`
      yield* links("lab")
      yield* refused("named", model, "not_eligible")
      yield* links("hub")
      assert.deepStrictEqual((yield* foresee("named", model)).json.refusals, [])
      yield* A.rows`DELETE FROM identity WHERE subject = 'nan'`
    })
  )

  it.effect("of a season that is closed is answered from its rows, as the submission is", () =>
    Effect.gen(function* () {
      const model = yield* modelOf("ada")
      const { id, version } = yield* over("bygone", model)
      const lately = { status: "rejected", created_at: new Date().toISOString() }
      yield* entered(id, yield* modelOf("ada"), { ...lately, reject_reason: "upload_expired" })
      const { foreseen } = yield* refused("bygone", model, "season_closed")
      assert.deepStrictEqual(foreseen, {
        game: "snakes",
        season: "bygone",
        open: false,
        models: { held: 1, cap: 5 },
        versions: { held: 1, cap: 50 },
        candidate: null,
        cooldown_until: null,
        refusals: foreseen.refusals
      })
      yield* entered(id, yield* modelOf("ada"), { ...lately, reject_reason: "too_large" })
      assert.isNotNull((yield* foresee("bygone", model)).json.cooldown_until)
      const rival = yield* modelOf("bob")
      const stolen = yield* submit(bodyOf("bygone", rival, { weights_hash: version.weights_hash }), "bob")
      assert.strictEqual(stolen.json.code, "season_closed")
      const { url } = yield* A.season("closing")
      yield* submit(bodyOf("closing", model))
      assert.strictEqual((yield* A.post(url("/close"))).status, 200)
      yield* eventually(
        "the season's end",
        Effect.map(A.rows`SELECT 1 FROM season WHERE slug = 'closing' AND closed_at IS NOT NULL`, ({ length }) => length > 0)
      )
      yield* refused("closing", model, "season_closed")
    })
  )
})

layer(A.layer, A.options)("a re-entry", (it) => {
  it.effect("takes the same bytes to another season, where their review starts at once", () =>
    Effect.gen(function* () {
      const model = yield* modelOf("ada", "Boa")
      const { version } = yield* over("source", model)
      yield* A.season("target")
      const body = { game: "snakes", model, season: "target", from: "source" }
      const made = yield* reenter(body)
      assert.strictEqual(made.status, 201, made.text)
      const { version_id, ...rest } = made.json
      assert.deepStrictEqual(rest, {
        model_id: model,
        model: "Boa",
        version: 2,
        status: "testing",
        season: "target",
        weights_hash: version.weights_hash,
        manifest_hash: version.manifest_hash
      })
      const { json: own } = yield* A.read(`/v1/me/versions/${version_id}`, "ada")
      assert.deepStrictEqual([own.status, own.phase, own.size_bytes], ["testing", "review", 2_100])
      const again = yield* reenter(body)
      assert.deepStrictEqual([again.status, again.json], [200, made.json])
    })
  )

  it.effect("of what is entered there already is answered with it", () =>
    Effect.gen(function* () {
      const model = yield* modelOf("ada")
      const { version } = yield* over("old-source", model, { status: "superseded" })
      const { id } = yield* A.season("old-target")
      const { json: made } = yield* reenter({ game: "snakes", model, season: "old-target", from: "old-source" })
      yield* A.rows`UPDATE version SET status = 'entered', phase = NULL WHERE id = ${made.version_id}`
      const again = yield* reenter({ game: "snakes", model, season: "old-target", from: "old-source" })
      assert.deepStrictEqual([again.status, again.json], [200, { ...made, status: "entered" }])
      assert.strictEqual(made.weights_hash, version.weights_hash, id)
    })
  )

  it.effect("and a submission too, of what is entered in a season that is over is answered with it, as while it was open", () =>
    Effect.gen(function* () {
      const model = yield* modelOf("ada", "Constrictor")
      const { id, version } = yield* over("ended", model)
      const { manifest_hash, weights_hash } = version
      const same = { version_id: version.id, model_id: model, model: "Constrictor", version: 1, status: "entered", season: "ended" }
      const again = yield* reenter({ game: "snakes", model, season: "ended", from: "ended" })
      assert.deepStrictEqual([again.status, again.json], [200, { ...same, weights_hash, manifest_hash }])
      const { json, status } = yield* submit(bodyOf("ended", model, { weights_hash, manifest_hash }))
      assert.deepInclude(json, same)
      assert.deepStrictEqual([status, Date.parse(json.upload.expires_at) <= Date.now()], [200, true])
      for (const other of [{ weights_hash }, { manifest_hash }]) {
        assert.strictEqual((yield* submit(bodyOf("ended", model, other))).json.code, "season_closed")
      }
      const { manifest_hash: manifest, weights_hash: weights } = yield* entered(id, model, { status: "rejected", number: 2 })
      const rejected = yield* submit(bodyOf("ended", model, { weights_hash: weights, manifest_hash: manifest }))
      assert.strictEqual(rejected.json.code, "season_closed")
      const theirs = yield* submit(bodyOf("ended", yield* modelOf("bob"), { weights_hash, manifest_hash }), "bob")
      assert.strictEqual(theirs.json.code, "season_closed")
    })
  )

  it.effect("is refused where it names too little, nothing, or what may not enter", () =>
    Effect.gen(function* () {
      const model = yield* modelOf("ada")
      const { id, version } = yield* over("from", model)
      const rejected = yield* modelOf("ada")
      yield* entered(id, rejected, { status: "rejected" })
      const { json: ofOthello } = yield* A.post("/v1/games/othello/models", { name: "Disc" }, "ada")
      yield* over("over", yield* modelOf("ada"))
      const into = yield* A.season("into", { rules: { cooldown_s: 0 } })
      yield* A.season("empty")
      yield* A.season("unseen", { visibility: "private" })
      const right = { game: "snakes", model, season: "into", from: "from" }
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{}, "400 reenter_invalid"],
        [{ ...right, from: null }, "400 reenter_invalid"],
        ...Object.keys(right).map((key) => [{ ...right, [key]: undefined }, "400 reenter_invalid"] as const),
        [{ ...right, from: 7 }, "400 invalid_request"],
        [{ ...right, game: "go" }, "404 unknown_game"],
        [{ ...right, season: "none" }, "404 unknown_season"],
        [{ ...right, from: "none" }, "404 unknown_season"],
        [{ ...right, season: "unseen" }, "404 unknown_season"],
        [{ ...right, from: "unseen" }, "404 unknown_season"],
        [{ ...right, model: yield* modelOf("bob") }, "404 unknown_model"],
        [{ ...right, model: ofOthello.id }, "404 unknown_model"],
        [{ ...right, from: "empty" }, "404 nothing_to_reenter"],
        [{ ...right, model: rejected }, "404 nothing_to_reenter"],
        [{ ...right, season: "over" }, "409 season_closed"]
      ]
      for (const [body, expected] of cases) {
        const { json, status } = yield* reenter(body)
        assert.strictEqual(`${status} ${json.code}`, expected, JSON.stringify(body))
      }
      const rival = yield* modelOf("bob")
      const { json: theirs } = yield* submit(bodyOf("into", rival, { weights_hash: version.weights_hash }), "bob")
      yield* A.tell(into.id, { _tag: "ReceiveFiles", version: theirs.version_id, weights_bytes: 2_000, manifest_bytes: 100 })
      assert.strictEqual((yield* reenter(right)).json.code, "weights_already_entered")
    })
  )
})
