/**
 * An entry whose matches keep failing by its own fault (docs/contract.md#suspension): suspended by the
 * season, told of, and let in again by an administrator. Runners of three keys play everything but matches of
 * one entry, whose weights they cannot have.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as administration, log, options, post, read, refusal, rows, urlOf } from "../support/Administration.ts"
import { resultOf, runnerOf, type Work } from "../support/Fleet.ts"
import { world } from "../support/SmallWorld.ts"

type Runner = Effect.Success<ReturnType<typeof runnerOf>>

const LOST = "The object store answered 404."
const phaseOf = (version: string) => Effect.map(read(`/v1/me/versions/${version}`, "ada"), ({ json }) => json.phase as string | null)
const sitsIn = ({ seats }: Work, version: string) => seats.some((seat: any) => seat.version_id === version)

/** The next match of each, of which those of the version fail while it is lost; answers the matches. */
const turn = Effect.fnUntraced(function* (runners: ReadonlyArray<Runner>, version: string, lost: boolean) {
  const played: Array<Work> = []
  for (const { lease, say } of runners) {
    for (const work of yield* lease()) {
      const fault = { kind: "match", fault_reason: "weights_unavailable", version_id: version, detail: LOST }
      const result = lost && sitsIn(work, version) ? fault : { ...resultOf(work), lease: undefined }
      assert.deepStrictEqual(yield* say(`/leases/${work.lease}/result`, result), { accepted: true })
      played.push(work)
    }
  }
  return played
})

const feed = (as: string) =>
  Effect.map(read("/v1/me/notifications", as), ({ json }) =>
    json.notifications
      .filter(({ kind }: any) => /suspended|reinstated/.test(kind))
      .map(({ kind, link, subject }: any) => [kind, subject, link])
  )
const listed = Effect.map(read(urlOf("one", "/versions?state=suspended"), "bob"), ({ json }) =>
  json.versions.map(({ version_id, waiting }: any) => [version_id, waiting.reason])
)
const queuedOf = (version: string) => rows`SELECT id FROM live WHERE until IS NULL AND ${version}::uuid = ANY (versions)`

layer(administration, options)("an entry whose weights cannot be had", (it) => {
  it.effect("is suspended and told of, plays no more, and is let in again by an administrator", () =>
    Effect.gen(function* () {
      const { adder, boa, one } = yield* world
      for (const username of ["ada", "bob"]) yield* post(urlOf("one", "/admins"), { username })
      yield* post(urlOf("two", "/admins"), { username: "bob" })
      const runners = yield* Effect.forEach([1, 2, 3], () => runnerOf(urlOf("one", "/runner-keys")))
      const shown = (yield* read(`/v1/versions/${adder.version}`)).json
      assert.strictEqual(shown.phase, null)

      for (let i = 0; i < 200 && (yield* phaseOf(adder.version)) === null; i++) yield* turn(runners, adder.version, true)
      assert.deepInclude((yield* read(`/v1/me/versions/${adder.version}`, "ada")).json, { status: "entered", phase: "suspended" })
      assert.deepInclude(
        (yield* read(`/v1/versions/${adder.version}`)).json,
        { status: "entered", phase: "suspended" },
        "its page is purged"
      )
      const { entries } = (yield* read("/v1/games/snakes/leaderboard?season=one")).json
      assert.isTrue(
        entries.some(({ version_id }: any) => version_id === adder.version),
        "it keeps its place"
      )
      assert.deepStrictEqual((yield* read("/v1/me/candidates", "ada")).json.candidates, [], "and is no candidate")
      const because = "Version 1 of Adder was suspended in Season one: 5 of its matches running failed by its fault"
      assert.deepStrictEqual(yield* feed("ada"), [["version_suspended", because, `/v1/me/versions/${adder.version}`]], "once, as its owner")
      assert.deepStrictEqual(yield* feed("bob"), [["version_suspended", because, `/v1/versions/${adder.version}`]])
      assert.deepStrictEqual(yield* feed("root"), [])

      assert.deepStrictEqual(yield* queuedOf(adder.version), [])
      for (let i = 0; i < 5; i++) for (const work of yield* turn(runners, adder.version, true)) assert.isFalse(sitsIn(work, adder.version))
      assert.deepStrictEqual(yield* queuedOf(adder.version), [])

      assert.deepStrictEqual(yield* listed, [[adder.version, "suspended"]], "for its season's administrators")
      const path = urlOf("one", `/versions/${adder.version}/reinstate`)
      const logged = yield* log(one.id)
      assert.deepStrictEqual(refusal(yield* post(urlOf("two", `/versions/${adder.version}/reinstate`), undefined, "bob")), [
        404,
        "not_found"
      ])
      assert.deepStrictEqual(refusal(yield* post(urlOf("one", "/versions/adder/reinstate"), undefined, "bob")), [404, "not_found"])
      const let_in = yield* post(path, undefined, "bob")
      assert.deepStrictEqual(
        [let_in.status, let_in.json.version_id, let_in.json.status, let_in.json.phase],
        [200, adder.version, "entered", null]
      )
      assert.notProperty(let_in.json, "reject_detail")
      assert.deepStrictEqual(yield* listed, [])
      assert.deepStrictEqual(yield* log(one.id), [["bob", "version.reinstate", adder.version, null], ...logged])
      assert.deepStrictEqual((yield* feed("ada"))[0], [
        "version_reinstated",
        "Version 1 of Adder plays again in Season one",
        `/v1/me/versions/${adder.version}`
      ])
      assert.lengthOf(yield* feed("bob"), 1)
      assert.strictEqual((yield* read(`/v1/versions/${adder.version}`)).json.phase, null)

      const again: Array<Work> = []
      for (let i = 0; i < 40 && !again.some((work) => sitsIn(work, adder.version)); i++)
        again.push(...(yield* turn(runners, adder.version, false)))
      const match = again.find((work) => sitsIn(work, adder.version))!
      assert.strictEqual((yield* read(`/v1/matches/${match.match_id}`)).status, 200, "it plays, and its match counts")
      assert.strictEqual((yield* rows<any>`SELECT status FROM match WHERE id = ${match.match_id}`)[0]!.status, "rated")

      for (const version of [adder.version, boa.version]) {
        const stays = yield* post(urlOf("one", `/versions/${version}/reinstate`), undefined, "ada")
        assert.deepStrictEqual([stays.status, stays.json.status, stays.json.phase], [200, "entered", null])
      }
      assert.lengthOf(yield* log(one.id), logged.length + 1, "of one that is not suspended nothing changes, and nothing is logged")
      assert.lengthOf(yield* feed("ada"), 2)
    })
  )
})
