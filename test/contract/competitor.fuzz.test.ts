/** Hostile input on every route: whatever is sent, the answer is one that the route declares, and never our fault. */

import { Api } from "@agon/api/Api.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import * as A from "../support/Administration.ts"
import { faultOf as undeclared } from "../support/Declared.ts"
import * as Fixture from "../support/Fixture.ts"
import { runnerSession } from "../support/Fleet.ts"
import { type Attempt, makeFuzz, type Names, randomOf, sha256 } from "../support/Fuzz.ts"
import { operationsOf } from "../support/Operations.ts"
import { slow } from "../support/slow.ts"
import { type Answered, callAnyhow } from "../support/Web.ts"

const requests = slow ? 20_000 : 1_500
const seed = Number(process.env["AGON_SEED"] ?? 20_261_121)
const atOnce = 4

const { at, classes, matchIds, modelIds, seasonIds, versionIds } = Fixture
const hashes = ["1", "2", "3"].map(sha256)

/** There to be read, and in a thread; a request may take it away. */
const comment = { id: Fixture.uuid("comment", 1), thread_id: Fixture.uuid("thread", 1) }
const spoken = Effect.gen(function* () {
  const [ada] = yield* A.rows<{ readonly id: string }>`SELECT id FROM account WHERE username = 'ada'`
  const thread = { id: comment.thread_id, model_id: modelIds.gamma, locked: false, comments: 1, created_at: A.past }
  const published = { state: "published", published_at: A.past, approved_at: A.past, created_at: A.past, reports: 0 }
  yield* Fixture.insert("thread", [thread])
  yield* Fixture.insert("comment", [{ ...comment, ...published, account_id: ada!.id, body: "Hm." }])
})

const announcement = Fixture.uuid("comment", 2)
const written = Effect.gen(function* () {
  const [root] = yield* A.rows<{ readonly id: string }>`SELECT id FROM account WHERE username = 'root'`
  const said = { body: "Hm.", created_at: A.past }
  yield* Fixture.insert("announcement", [{ ...said, id: announcement, title: "x" }])
  yield* Fixture.insert("post", [{ ...said, id: announcement, slug: "spring", title: "x", author_id: root!.id, published_at: A.past }])
  yield* Fixture.insert("story", [{ model_id: modelIds.alpha, body: "Hm.", state: "pending", updated_at: A.past }])
})

const namesOf = (runner: { readonly key: string; readonly id: string }): Names => {
  const seasons = ["spring", "spring", "winter", "secret", "autumn", "open-house", "open-house", "none"]
  const things = [...Object.values(modelIds), ...Object.values(versionIds), ...Object.values(matchIds)]
  const ids = [...things, ...Array(8).fill(comment.id), ...Array(4).fill(comment.thread_id), ...Array(4).fill(announcement)]
  return {
    game: [...Array(8).fill("snakes"), "othello", "go"],
    ...{ slug: seasons, season: seasons, from: seasons },
    id: ids,
    ...{ model: Object.values(modelIds), version: Object.values(versionIds), match: Object.values(matchIds) },
    parent_id: [null, comment.id],
    state: ["pending", "reported", "approved", "removed"],
    vs: [`${modelIds.alpha},${modelIds.beta}`],
    ...{ map_id: ["duel", "crowd", "new"], map: ["duel"], maps: ["duel", "new"] },
    ...{ baseline: ["random", "greedy", "base"], baselines: ["random"], n: ["1", "3", "9"] },
    ...{
      username: ["ada", "bob", "root"],
      word: ["darn", "Därn"],
      q: ["a", "ada", "%", "_", ""],
      admins: ["ada", "nobody"],
      owner: ["ada"],
      logins: ["Ada", "x"]
    },
    ...{ weights_hash: hashes, manifest_hash: hashes, hash: hashes, engine_digest: [Fixture.engineDigest] },
    ...{ secret: [runner.key], runner: [runner.id], key: [runner.id], lease: [`${matchIds.queued}.1`, `${versionIds.gamma2}.1`] },
    ...{ ladder: ["open", "nano"], class: ["nano"], limit: ["1", "25", "999999999999"], cursor: ["0", "1", "2147483647", "2147483648"] },
    ...{
      since: [at(0), "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"],
      sort: ["newest", "closest", "upset", "longest", "discussed"],
      providers: ["hub", "lab"],
      provider: ["hub"]
    },
    weight_classes: classes
  }
}

/** Text that Postgres does not keep, that is no UTF-8, and that is no encoding at all. */
const unreadable = ["%00", "%ED%A0%80", "%FF", "%", "%zz"]

/** Every operation with each of its parameters in turn unreadable, the others of the right form. */
const everyParameter = (names: Names): ReadonlyArray<Attempt> =>
  operationsOf(OpenApi.fromApi(Api)).flatMap((operation) => {
    const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key!)
    return [...inPath, ...operation.query].flatMap((bad) =>
      unreadable.map((piece): Attempt => {
        const valueOf = (key: string) => (key === bad ? piece : String(names[key]?.[0] ?? "x"))
        const url = operation.path.replace(/\{(\w+)\}/g, (_, key: string) => valueOf(key))
        const query = operation.query.includes(bad) ? `?${bad}=${piece}` : ""
        const json = operation.body === undefined ? {} : { json: {} }
        return { operation, url: `${url}${query}`, call: { method: operation.method, as: "root", ...json } }
      })
    )
  })

/** The fault in an answer; none, where it is one of those that the route declares. */
const faultOf = ({ call: { method = "GET" }, url }: Attempt, answer: Answered): string | undefined =>
  answer.status >= 500 && answer.status !== 503 ? "is our fault" : undeclared(method, url, answer)

/** Whoever signs out cannot be asked for again, so they have sessions for it alone. */
const signsOut = ({ call: { as }, operation }: Attempt) => as !== undefined && operation.route === "DELETE /v1/session"
const leavers = A.rows`INSERT INTO session (id, account_id, token_sha256, created_at, last_seen_at, expires_at)
  SELECT gen_random_uuid(), id, sha256(convert_to('leaver-' || n || '-token', 'UTF8')), now(), now(), '2099-01-01'
  FROM account, generate_series(1, 1000) n WHERE username = 'ada'`

/** A suspended account cannot ask for anything more, so suspension is tried on one that asks nothing. */
const spared = (url: string) => url.replace(/^(\/v1\/admin\/users\/)(ada|bob|root)\b/, "$1idle")
const idle = A.rows`INSERT INTO account (id, username, display_name, created_at) VALUES (gen_random_uuid(), 'idle', 'Idle', now())`

/** A request for work may wait for half a minute; here it does not. */
const impatient = (body: string | undefined) => body?.replace(/"wait_s":[^,}]*/, '"wait_s":0')

const web = Fixture.layer.pipe(Layer.provideMerge(A.layer))

layer(web, A.options)("unreadable parameters", (it) => {
  it.effect("are refused by every route in the ways that it declares", () =>
    Effect.gen(function* () {
      const attempts = everyParameter(namesOf({ key: "agon_rk_none", id: "none" }))
      assert.isAbove(attempts.length, 700)
      const faults = yield* Effect.forEach(
        attempts,
        (attempt) =>
          Effect.map(callAnyhow(attempt.url, attempt.call), (answer) => {
            const fault = faultOf(attempt, answer)
            return fault === undefined ? [] : [`${attempt.operation.route} ${attempt.url} ${fault}: ${answer.status} ${answer.text}`]
          }),
        { concurrency: atOnce }
      )
      assert.deepStrictEqual(faults.flat(), [])
    })
  )
})

layer(web, { excludeTestServices: true, timeout: "20 minutes" })("hostile input", (it) => {
  it.effect(`never meets an answer that its route does not declare, in ${requests} requests of seed ${seed}`, () =>
    Effect.gen(function* () {
      yield* spoken
      yield* written
      yield* A.season("open-house", { rules: { cooldown_s: 0 } })
      for (const id of [seasonIds.spring, seasonIds.secret, seasonIds.autumn]) yield* A.tell(id, { _tag: "Tick" })
      const { key } = (yield* A.post("/v1/runner-keys", { name: "fuzz" })).json
      const opened = yield* A.ask("/v1/runner/sessions", {
        method: "POST",
        json: runnerSession,
        headers: { authorization: `Bearer ${key}` }
      })
      assert.strictEqual(opened.status, 201, opened.text)
      const next = makeFuzz(OpenApi.fromApi(Api), namesOf({ key, id: opened.json.runner }), randomOf(seed))

      yield* Effect.andThen(leavers, idle)
      let left = 0
      const seen = new Map<string, number>()
      const faults: Array<string> = []
      const one = Effect.gen(function* () {
        const attempt = next()
        const body = impatient(attempt.call.body)
        const given = {
          ...attempt.call,
          ...(body === undefined ? {} : { body }),
          ...(signsOut(attempt) ? { as: `leaver-${(left += 1)}` } : {})
        }
        const answer = yield* callAnyhow(spared(attempt.url), given)
        const outcome = `${answer.status} ${answer.json?.code ?? ""}`.trim()
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
        const fault = faultOf(attempt, answer)
        if (fault === undefined) return
        const sent = JSON.stringify({ ...given, body: given.body?.slice(0, 600) })
        faults.push(`${attempt.operation.route} ${fault}: ${outcome} ${answer.text.slice(0, 300)}\n  ${attempt.url.slice(0, 300)} ${sent}`)
      })
      yield* Effect.forEach(Array.from({ length: requests }), () => one, { concurrency: atOnce, discard: true })
      assert.deepStrictEqual(faults.slice(0, 20), [], `${faults.length} faults of seed ${seed}`)
      // The requests must be good enough to get somewhere.
      for (const outcome of [
        "200",
        "201",
        "204",
        "302",
        "404 not_found",
        "400 invalid_request",
        "400 invalid_json",
        "413 body_too_large",
        "403 admin_only"
      ]) {
        assert.isAbove(seen.get(outcome) ?? 0, 0, `${outcome} among ${[...seen].map((each) => each.join(": ")).join(", ")}`)
      }
      // Nothing that is sent puts a season out of order; one that is only waking may say so.
      assert.isAtMost(seen.get("503 unavailable") ?? 0, 2 + requests / 5_000)
    })
  )
})
