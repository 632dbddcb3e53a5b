/** Boards and baselines, uploaded, switched and imported (docs/contract.md#boards and docs/contract.md#baselines). */

import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  layer as administration,
  ask,
  baseline,
  changes,
  log,
  options,
  patch,
  post,
  read,
  refusal,
  rows,
  season,
  tell,
  urlOf
} from "../support/Administration.ts"

const file = (n: number, change: object = {}) => JSON.parse(JSON.stringify({ ...snakesBoards[n], ...change }))
const seasons = "/v1/games/snakes/seasons"

layer(administration, options)("a board", (it) => {
  it.effect("is uploaded as its file, stored out of play and served as it was sent", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("spring", { admins: ["ada"] })
      const board = file(0)
      const { map_id } = board
      yield* changes(
        [seasons, url("/maps"), url("/maps?boards=true")],
        Effect.gen(function* () {
          const added = yield* post(url("/maps"), board, "ada")
          assert.strictEqual(added.status, 201, added.text)
          assert.deepStrictEqual(Object.keys(added.json), ["map_id", "players", "rows", "cols", "enabled", "added_at", "matches"])
          assert.deepInclude(added.json, { map_id, players: 2, rows: 7, cols: 7, enabled: false, matches: 0 })
        })
      )
      const { json } = yield* ask(url(`/maps/${map_id}`))
      assert.deepStrictEqual([json.board, json.periods], [board, []])
      assert.deepStrictEqual(yield* log(id), [["ada", "board.add", map_id, null]])
      assert.deepStrictEqual(refusal(yield* post(url("/maps"), board)), [409, "board_exists"])
      assert.lengthOf(yield* log(id), 1)
    })
  )

  it.effect("is switched in and out of play, each change once, with its periods", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("summer")
      const { map_id } = (yield* post(url("/maps"), file(0))).json
      const one = url(`/maps/${map_id}`)
      yield* changes(
        [seasons, url("/maps"), one],
        Effect.gen(function* () {
          const on = yield* patch(one, { enabled: true })
          assert.deepStrictEqual([on.status, on.json.map_id, on.json.enabled], [200, map_id, true])
        })
      )
      yield* patch(one, { enabled: true })
      yield* patch(one, { enabled: false })
      yield* patch(one, { enabled: true })
      const { periods } = (yield* ask(one)).json
      assert.deepStrictEqual(
        periods.map(({ to }: any) => to === null),
        [false, true]
      )
      assert.deepStrictEqual(
        (yield* log(id)).map(([, action, , detail]) => [action, detail]),
        [
          ["board.switch", { enabled: true }],
          ["board.switch", { enabled: false }],
          ["board.switch", { enabled: true }],
          ["board.add", null]
        ]
      )
      assert.deepStrictEqual(refusal(yield* patch(one, { enabled: "yes" })), [400, "invalid_request"])
      assert.deepStrictEqual(refusal(yield* patch(url("/maps/other"), { enabled: true })), [404, "not_found"])
      const [record] = (yield* ask(seasons)).json.filter(({ slug }: any) => slug === "summer")
      assert.deepStrictEqual(record.maps, { in_play: 1, out_of_play: 0, players: [2], sides: { min: 7, max: 7 } })
    })
  )

  it.effect("that the engine refuses is told every fault, whatever the body is", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("autumn")
      for (const body of [{}, [], "board", 7, file(0, { rows: 3 }), file(0, { map_id: "Not A Slug" }), file(0, { extra: 1 })]) {
        const refused = yield* post(url("/maps"), body)
        assert.deepStrictEqual(refusal(refused), [422, "board_invalid"], JSON.stringify(body).slice(0, 40))
        assert.isAbove(refused.json.errors.length, 0)
      }
      const sent = (body: string) => ask(url("/maps"), { method: "POST", as: "root", body })
      const infinite = yield* sent(JSON.stringify(file(0)).replace('"min_food":1', '"min_food":1e999'))
      assert.deepStrictEqual(refusal(infinite), [422, "board_invalid"])
      assert.deepStrictEqual(infinite.json.errors, [{ path: "min_food", message: "must be a whole number" }])
      for (const body of ["1e999", "-1e999", '{"unknown":[1e999]}'])
        assert.deepStrictEqual(refusal(yield* sent(body)), [422, "board_invalid"])
      const huge = yield* sent(`"${"x".repeat(1_100_000)}"`)
      assert.deepStrictEqual(refusal(huge), [413, "body_too_large"])
      assert.deepStrictEqual(yield* log(id), [])
      yield* post(url("/close"))
      assert.deepStrictEqual(refusal(yield* post(url("/maps"), file(0))), [409, "season_closed"])
    })
  )
})

layer(administration, options)("boards of another season", (it) => {
  it.effect("are imported out of play, all or those that are named, and what is not is told with its reason", () =>
    Effect.gen(function* () {
      const from = yield* season("spring")
      const [a, b, c] = [file(0), file(1), file(2)]
      for (const board of [a, b, c]) yield* post(from.url("/maps"), board)
      yield* patch(from.url(`/maps/${a.map_id}`), { enabled: true })
      const { id, url } = yield* season("summer", { admins: ["ada"] })
      yield* changes(
        [seasons, url("/maps")],
        Effect.gen(function* () {
          const some = yield* post(url("/maps/import"), { from: "spring", maps: [b.map_id, "nothing", b.map_id] }, "ada")
          assert.strictEqual(some.status, 201, some.text)
          assert.deepStrictEqual(some.json, { imported: [b.map_id], skipped: [{ map_id: "nothing", reason: "not_found" }] })
        })
      )
      const rest = (yield* post(url("/maps/import"), { from: "spring" })).json
      assert.deepStrictEqual(rest, { imported: [a.map_id, c.map_id], skipped: [{ map_id: b.map_id, reason: "board_exists" }] })
      const { maps } = (yield* ask(url("/maps?boards=true"))).json
      assert.deepStrictEqual(
        maps.map(({ board, enabled }: any) => [board, enabled]),
        [b, a, c].map((board) => [board, false])
      )
      assert.deepStrictEqual(
        (yield* log(id)).map(([actor, action, subject, detail]) => [actor, action, subject, detail]),
        [
          ["root", "board.import", c.map_id, { from: "spring" }],
          ["root", "board.import", a.map_id, { from: "spring" }],
          ["ada", "board.import", b.map_id, { from: "spring" }]
        ]
      )
    })
  )

  it.effect("are those of a season that the caller can see, and what the engine takes no more is skipped", () =>
    Effect.gen(function* () {
      const { url } = yield* season("autumn", { admins: ["ada"] })
      const secret = yield* season("secret", { visibility: "private" })
      yield* post(secret.url("/maps"), file(0))
      yield* tell(secret.id, { _tag: "AddBoard", board: "old", players: 2, rows: 3, cols: 3, file: { map_id: "old" } })
      const hidden = yield* post(url("/maps/import"), { from: "secret" }, "ada")
      const none = yield* post(url("/maps/import"), { from: "absent" }, "ada")
      assert.deepStrictEqual(
        [refusal(hidden), refusal(none)],
        [
          [404, "unknown_season"],
          [404, "unknown_season"]
        ]
      )
      assert.strictEqual(hidden.text.replace("secret", ""), none.text.replace("absent", ""))
      assert.deepStrictEqual(refusal(yield* post(url("/maps/import"), { maps: [] })), [400, "invalid_request"])
      assert.deepStrictEqual((yield* post(url("/maps/import"), { from: "secret" })).json, {
        imported: [file(0).map_id],
        skipped: [{ map_id: "old", reason: "board_invalid" }]
      })
      yield* post(url("/close"))
      assert.deepStrictEqual(refusal(yield* post(url("/maps/import"), { from: "secret", maps: ["old"] })), [409, "season_closed"])
    })
  )
})

const hash = (digit: string) => `sha256:${digit.repeat(64)}`
const named = (name: string, digit = "b") => ({ name, weights_hash: hash(digit), manifest_hash: hash("c") })

layer(administration, options)("a baseline", (it) => {
  it.effect("is recorded by name and hashes, answers where its files go, and again the same", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("spring", { admins: ["ada"] })
      const recorded = yield* post(url("/baselines"), named("greedy"), "ada")
      assert.strictEqual(recorded.status, 201, recorded.text)
      const { upload, ...row } = recorded.json
      assert.deepInclude(row, { name: "greedy", status: "testing", class: null, reject_reason: null, enabled: false })
      assert.deepStrictEqual([upload.weights.method, upload.manifest.max_bytes], ["PUT", 65_536])
      assert.strictEqual((yield* post(url("/baselines"), named("greedy"))).json.version_id, row.version_id)
      assert.deepStrictEqual(refusal(yield* post(url("/baselines"), named("greedy", "d"))), [409, "baseline_exists"])
      assert.deepStrictEqual((yield* read(url("/baselines"), "ada")).json, { baselines: [row], total: 1, next_cursor: null })
      assert.deepStrictEqual((yield* read(url("/baselines?cursor=5"))).json, { baselines: [], total: 1, next_cursor: null })
      assert.deepStrictEqual(
        (yield* log(id)).map(([actor, action, subject]) => [actor, action, subject]),
        [["ada", "baseline.record", "greedy"]]
      )
      assert.deepStrictEqual(refusal(yield* post(url("/baselines"), { name: "x" })), [400, "missing_hash"])
      assert.deepStrictEqual(refusal(yield* post(url("/baselines"), named("No Slug"))), [400, "invalid_request"])
      assert.deepStrictEqual(refusal(yield* post(url("/baselines"), { ...named("x"), weights_hash: "md5:1" })), [400, "invalid_request"])
      yield* post(url("/close"))
      assert.deepStrictEqual(refusal(yield* post(url("/baselines"), named("late", "e"))), [409, "season_closed"])
    })
  )

  it.effect("is of one pair of files, also where several administrators record or import it at the same time", () =>
    Effect.gen(function* () {
      const from = yield* season("from")
      yield* baseline(from.id, 8, "greedy")
      const { id, url } = yield* season("contested")
      const asked = [
        ...["1", "2", "3"].map((digit) => post(url("/baselines"), named("greedy", digit))),
        post(url("/baselines/import"), { from: "from" })
      ]
      const answers = yield* Effect.all(asked, { concurrency: asked.length })
      const imported = answers[3]!.json.imported.length
      const recorded = answers.slice(0, 3).filter(({ status }) => status === 201).length
      assert.strictEqual(imported + recorded, 1)
      for (const answer of answers.slice(0, 3)) if (answer.status !== 201) assert.deepStrictEqual(refusal(answer), [409, "baseline_exists"])
      assert.lengthOf(yield* rows`SELECT id FROM version WHERE season_id = ${id}`, 1)
      assert.lengthOf(yield* log(id), 1)
    })
  )

  it.effect("is switched once it is admitted, and purges the ladder that it joins", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("summer", { admins: ["ada"] })
      yield* baseline(id, 1, "waiting", false)
      assert.deepStrictEqual(refusal(yield* patch(url("/baselines/waiting"), { enabled: true })), [409, "baseline_not_admitted"])
      assert.deepStrictEqual(refusal(yield* patch(url("/baselines/absent"), { enabled: true })), [404, "not_found"])
      assert.deepStrictEqual(yield* log(id), [])
      const autumn = yield* season("autumn")
      const version_id = yield* baseline(autumn.id, 2, "greedy")
      const leaderboard = "/v1/games/snakes/leaderboard?season=autumn"
      yield* changes(
        [seasons, leaderboard],
        Effect.gen(function* () {
          const on = yield* patch(autumn.url("/baselines/greedy"), { enabled: true })
          assert.deepStrictEqual(on.json, {
            name: "greedy",
            version_id,
            status: "entered",
            class: "nano",
            reject_reason: null,
            enabled: true
          })
        })
      )
      yield* patch(autumn.url("/baselines/greedy"), { enabled: true })
      yield* changes([seasons, leaderboard], patch(autumn.url("/baselines/greedy"), { enabled: false }))
      assert.deepStrictEqual(
        (yield* log(autumn.id)).map(([, action, subject, detail]) => [action, subject, detail]),
        [
          ["baseline.switch", "greedy", { enabled: false }],
          ["baseline.switch", "greedy", { enabled: true }]
        ]
      )
    })
  )
})

layer(administration, options)("baselines of another season", (it) => {
  it.effect("are reviewed again from the same bytes; those that were not admitted, or are here, are skipped", () =>
    Effect.gen(function* () {
      const from = yield* season("spring")
      yield* baseline(from.id, 1, "greedy")
      yield* baseline(from.id, 2, "random")
      yield* baseline(from.id, 3, "waiting", false)
      const { id, url } = yield* season("summer", { admins: ["ada"] })
      yield* post(url("/baselines"), named("random"))
      const imported = yield* post(url("/baselines/import"), { from: "spring" }, "ada")
      assert.strictEqual(imported.status, 201, imported.text)
      assert.deepStrictEqual(imported.json, {
        imported: ["greedy"],
        skipped: [
          { name: "random", reason: "baseline_exists" },
          { name: "waiting", reason: "baseline_not_admitted" }
        ]
      })
      const [fresh] = yield* rows<any>`SELECT v.status, v.phase, v.weights_bytes, v.manifest_bytes, w.weights_hash = v.weights_hash AS same
        FROM version v JOIN model m ON m.id = v.model_id, version w JOIN model n ON n.id = w.model_id AND n.name = 'greedy'
        WHERE v.season_id = ${id} AND m.name = 'greedy' AND w.season_id = ${from.id}`
      assert.deepStrictEqual(fresh, { status: "testing", phase: "review", weights_bytes: 1_000, manifest_bytes: 100, same: true })
      const again = (yield* post(url("/baselines/import"), { from: "spring", baselines: ["greedy", "nothing"] })).json
      assert.deepStrictEqual(again, {
        imported: [],
        skipped: [
          { name: "greedy", reason: "baseline_exists" },
          { name: "nothing", reason: "not_found" }
        ]
      })
      const [[actor, action, subject, detail]] = (yield* log(id)) as [any]
      assert.deepStrictEqual([actor, action, subject, detail.from], ["ada", "baseline.import", "greedy", "spring"])
    })
  )

  it.effect("come from a season that the caller can see, into one that still takes them", () =>
    Effect.gen(function* () {
      const { url } = yield* season("autumn", { admins: ["ada"] })
      const secret = yield* season("secret", { visibility: "private" })
      yield* baseline(secret.id, 4, "greedy")
      assert.deepStrictEqual(refusal(yield* post(url("/baselines/import"), { from: "secret" }, "ada")), [404, "unknown_season"])
      assert.deepStrictEqual(refusal(yield* post(url("/baselines/import"), { from: "absent" }, "ada")), [404, "unknown_season"])
      assert.deepStrictEqual(refusal(yield* post(url("/baselines/import"), {})), [400, "invalid_request"])
      yield* post(url("/close"))
      assert.deepStrictEqual(refusal(yield* post(url("/baselines/import"), { from: "secret" })), [409, "season_closed"])
      assert.deepStrictEqual((yield* read(urlOf("autumn", "/baselines"))).json.baselines, [])
    })
  )
})
