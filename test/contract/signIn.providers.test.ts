/**
 * Providers that are down, that lie, that answer garbage, and those that behave as GitHub does; and browsers
 * that bring what was never theirs.
 */

import type { ServerResponse } from "node:http"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Browser, type Page, signIn } from "../support/Browser.ts"
import { layer as live, SignInService, type SignInServiceShape } from "../support/SignInService.ts"
import { idToken, json, otherKey } from "../support/StubProvider.ts"
import { allowed } from "../support/slack.ts"

const Served = live()

const outcome = ({ headers, status }: Page) => {
  const location = headers.get("location") ?? ""
  return /sign_in_error=(\w+)/.exec(location)?.[1] ?? (status === 302 ? location : String(status))
}

/** From the button to where it leads, through a provider that asks nothing. */
const walk = (browser: Browser, origin: string, slug: string, query = "") =>
  browser.follow(`${origin}/v1/auth/${slug}${query}`, ({ pathname }) => pathname === "/")

const inService = <A>(run: (service: SignInServiceShape) => Promise<A>) =>
  Effect.flatMap(SignInService, (service) =>
    Effect.ensuring(
      Effect.promise(() => run(service)),
      Effect.sync(() => [service.hub, service.openid].map((stub) => stub.reset()))
    )
  )

/** On a busy machine the provider beside the test may be too late for one of many: who is told so tries again. */
const signedIn = async (browser: Browser, origin: string, slug = "hub", tries = 5): Promise<string> => {
  const end = outcome(await walk(browser, origin, slug))
  return end === "provider_failed" && tries > 1 ? signedIn(browser, origin, slug, tries - 1) : end
}

const me = async (browser: Browser, origin: string) => JSON.parse((await browser.request(`${origin}/v1/me`)).text)

/** Ways for an endpoint to be out of order. */
const outages: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  "answers 500": (response) => response.writeHead(500).end("<h1>oops</h1>"),
  "answers garbage": (response) => json(response, 200, "{\0nonsense"),
  "answers nothing": (response) => response.writeHead(200).end(),
  "answers no object": (response) => json(response, 200, "null"),
  "answers a list": (response) => json(response, 200, []),
  "answers text": (response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>welcome</h1>"),
  "leads to itself": (response) => response.writeHead(302, { location: response.req.url! }).end(),
  "hangs up": (response) => response.destroy(),
  "answers without end": (response) => {
    response.writeHead(200, { "content-type": "application/json" })
    const more = () => {
      while (!response.destroyed && response.write(" ".repeat(65_536)));
    }
    response.on("drain", more)
    more()
  },
  "never ends its answer": (response) => response.writeHead(200, { "content-type": "application/json" }).write("{")
}

layer(Served, { excludeTestServices: true })("a provider that is out of order", (it) => {
  // Keys are kept once they are known, and so is where everything is, hence the order and the second of a kind.
  const endpoints: ReadonlyArray<readonly [string, "hub" | "openid", string]> = [
    ["openid", "openid", "discovery"],
    ["openid-too", "openid", "keys"],
    ["openid", "openid", "token"],
    ["hub", "hub", "token"],
    ["hub", "hub", "user"]
  ]
  it.effect("whose discovery names another issuer, none, or addresses that are no web addresses leads nowhere", () =>
    inService(async ({ openid, origin }) => {
      const lies: ReadonlyArray<object> = [
        { issuer: "https://elsewhere.example" },
        { issuer: undefined },
        { issuer: openid.origin.replace("127.0.0.1", "localhost") },
        { authorization_endpoint: "javascript:alert(1)" },
        { authorization_endpoint: "data:text/html,<h1>password</h1>" },
        { authorization_endpoint: undefined },
        { token_endpoint: "https:" },
        { token_endpoint: undefined },
        { jwks_uri: undefined },
        { userinfo_endpoint: "http://elsewhere.example/userinfo" },
        { userinfo_endpoint: null }
      ]
      for (const lie of lies) {
        openid.says.discovery = (response) => json(response, 200, { ...openid.metadata(), ...lie })
        assert.strictEqual(outcome(await walk(new Browser(), origin, "openid")), "provider_failed", JSON.stringify(lie))
      }
    })
  )
  for (const [slug, stub, endpoint] of endpoints) {
    it.effect(`ends the sign-in with provider_failed, soon, whatever it does at its ${endpoint} endpoint (${slug})`, () =>
      inService(async (service) => {
        const stubbed = service[stub]
        for (const [what, how] of Object.entries(outages)) {
          Object.assign(stubbed.says, { [endpoint]: how })
          const began = Date.now()
          assert.strictEqual(outcome(await walk(new Browser(), service.origin, slug)), "provider_failed", what)
          assert.isBelow(Date.now() - began, allowed(8_000), what)
        }
        stubbed.reset()
        assert.strictEqual(await signedIn(new Browser(), service.origin, slug), "/", "and works again as soon as the provider does")
      })
    )
  }

  it.effect("that never answers at all is given up as soon", () =>
    inService(async ({ hub, origin }) => {
      hub.says.token = () => undefined
      assert.strictEqual(outcome(await walk(new Browser(), origin, "hub")), "provider_failed")
    })
  )

  it.effect("refuses connections: provider_failed, and the others go on", () =>
    inService(async ({ origin }) => {
      assert.strictEqual(outcome(await walk(new Browser(), origin, "down")), "provider_failed")
      assert.strictEqual(await signedIn(new Browser(), origin, "hub"), "/")
    })
  )
})

layer(Served, { excludeTestServices: true })("a provider of plain OAuth 2", (it) => {
  it.effect("may say that something is wrong with a status of success, as GitHub does", () =>
    inService(async ({ hub, origin }) => {
      for (const error of ["bad_verification_code", "incorrect_client_credentials", "redirect_uri_mismatch"]) {
        hub.says.token = (response) => json(response, 200, { error, error_description: "x", error_uri: "https://docs.example" })
        assert.strictEqual(outcome(await walk(new Browser(), origin, "hub")), "provider_failed", error)
      }
    })
  )

  it.effect("that refuses the user's record lets nobody in, also where its refusal names somebody", () =>
    inService(async ({ hub, origin }) => {
      hub.says.user = (response) => json(response, 403, { id: 5, login: "somebody" })
      assert.strictEqual(outcome(await walk(new Browser(), origin, "hub")), "provider_failed")
    })
  )

  it.effect("is read as far as half a mebibyte of an answer", () =>
    inService(async ({ hub, origin }) => {
      const answersWith = (bytes: number) => {
        hub.says.user = (response) =>
          void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id: 6, login: "long" }).padEnd(bytes))
        return walk(new Browser(), origin, "hub").then(outcome)
      }
      assert.strictEqual(await answersWith(512 * 1024), "/")
      assert.strictEqual(await answersWith(512 * 1024 + 1), "provider_failed")
    })
  )

  it.effect("is asked with the code, the verifier, the secret and the same callback address, and sends its name along or not", () =>
    inService(async ({ hub, origin }) => {
      const browser = new Browser()
      const begun = new URL((await browser.request(`${origin}/v1/auth/hub`)).headers.get("location")!)
      const asked = Object.fromEntries(begun.searchParams)
      assert.deepInclude(asked, { client_id: "agon", response_type: "code", scope: "read:user", code_challenge_method: "S256" })
      assert.strictEqual(asked["redirect_uri"], `${origin}/v1/auth/hub/callback`)
      assert.notInclude(begun.search, "s3cret")
      for (const iss of [undefined, "https://hub.example/login/oauth"]) {
        hub.says.back = iss === undefined ? {} : { iss }
        assert.strictEqual(await signedIn(new Browser(), origin, "hub"), "/")
      }
      assert.strictEqual(hub.asked.at(-1)!.get("redirect_uri"), `${origin}/v1/auth/hub/callback`)
    })
  )

  it.effect("whose issuer is configured sends that or none, as GitHub does", () =>
    inService(async ({ hub, origin }) => {
      assert.strictEqual(await signedIn(new Browser(), origin, "strict"), "/")
      hub.says.back = { iss: `${hub.origin}/login/oauth` }
      assert.strictEqual(await signedIn(new Browser(), origin, "strict"), "/")
      hub.says.back = { iss: "https://other.example" }
      assert.strictEqual(outcome(await walk(new Browser(), origin, "strict")), "provider_failed")
    })
  )

  it.effect("that was refused by its user ends with access_denied; any other refusal with provider_failed", () =>
    inService(async ({ origin }) => {
      for (const [error, expected] of [
        ["access_denied", "access_denied"],
        ["temporarily_unavailable", "provider_failed"],
        ["\u0000<script>", "provider_failed"]
      ]) {
        const browser = new Browser()
        const begun = new URL((await browser.request(`${origin}/v1/auth/hub`)).headers.get("location")!)
        const back = new URLSearchParams({ error: error!, error_description: "no", state: begun.searchParams.get("state")! })
        assert.strictEqual(outcome(await browser.request(`${origin}/v1/auth/hub/callback?${back}`)), expected)
      }
    })
  )
})

/** The claims of an ID token with which nothing must be signed in. */
const forged: Readonly<Record<string, (good: object) => string>> = {
  "of another nonce": (good) => idToken({ ...good, nonce: "other" }),
  "without a nonce": (good) => idToken({ ...good, nonce: undefined }),
  "for another client": (good) => idToken({ ...good, aud: "other" }),
  "from another issuer": (good) => idToken({ ...good, iss: "https://evil.example" }),
  "that has expired": (good) => idToken({ ...good, exp: 1 }),
  "without a subject": (good) => idToken({ ...good, sub: undefined }),
  "signed by another key": (good) => idToken(good, { alg: "RS256", kid: "one" }, otherKey),
  "signed by a key that is not named": (good) => idToken(good, { alg: "RS256", kid: "two" }),
  "that is not signed": (good) => `${idToken(good, { alg: "none" }).split(".").slice(0, 2).join(".")}.`,
  "that is none": () => "a.b.c"
}

layer(Served, { excludeTestServices: true })("a provider of OpenID", (it) => {
  for (const [what, forge] of Object.entries(forged)) {
    it.effect(`is not believed with an ID token ${what}`, () =>
      inService(async ({ openid, origin }) => {
        const browser = new Browser()
        const begun = await browser.request(`${origin}/v1/auth/openid`)
        const nonce = new URL(begun.headers.get("location")!).searchParams.get("nonce")!
        const answer = (id_token: string) => (response: ServerResponse) =>
          json(response, 200, { access_token: "x", token_type: "bearer", id_token })
        openid.says.token = answer(forge(openid.claims(1, nonce)))
        assert.strictEqual(
          outcome(await browser.follow(begun.headers.get("location")!, ({ pathname }) => pathname === "/")),
          "provider_failed"
        )
        assert.strictEqual((await browser.request(`${origin}/v1/me`)).status, 401)

        const again = await browser.request(`${origin}/v1/auth/openid`)
        const nonce2 = new URL(again.headers.get("location")!).searchParams.get("nonce")!
        openid.says.token = answer(idToken(openid.claims(1, nonce2)))
        assert.strictEqual(outcome(await browser.follow(again.headers.get("location")!, ({ pathname }) => pathname === "/")), "/")
      })
    )
  }
})

layer(Served, { excludeTestServices: true })("a provider of OpenID whose clock is not ours", (it) => {
  it.effect("is believed where the difference is under a minute, and not where it is ten", () =>
    inService(async ({ openid, origin }) => {
      const outcomeAt = async (ahead_s: number) => {
        const browser = new Browser()
        const begun = (await browser.request(`${origin}/v1/auth/openid`)).headers.get("location")!
        const good = openid.claims(1, new URL(begun).searchParams.get("nonce")!)
        const iat = good.iat + ahead_s
        const id_token = idToken({ ...good, iat, nbf: iat, exp: iat + 5 })
        openid.says.token = (response: ServerResponse) => json(response, 200, { access_token: "x", token_type: "bearer", id_token })
        return outcome(await browser.follow(begun, ({ pathname }) => pathname === "/"))
      }
      for (const ahead_s of [-40, 40]) assert.strictEqual(await outcomeAt(ahead_s), "/", `${ahead_s} s`)
      for (const ahead_s of [-600, 600]) assert.strictEqual(await outcomeAt(ahead_s), "provider_failed", `${ahead_s} s`)
    })
  )
})

layer(Served, { excludeTestServices: true })("a provider of OpenID that tells the login apart from the ID token", (it) => {
  it.effect("is asked for it, and believed where it speaks of the same subject", () =>
    inService(async ({ openid, origin }) => {
      const asTold = (user: object | undefined) =>
        Object.assign(openid.says, {
          userinfo: true,
          profile: () => ({ sub: "s-1", login: "Told", name: "Told Later" }),
          user: user === undefined ? undefined : (response: ServerResponse) => json(response, 200, user)
        })
      asTold(undefined)
      const browser = new Browser()
      assert.strictEqual(await signedIn(browser, origin, "openid"), "/")
      assert.deepInclude(await me(browser, origin), { username: "told", display_name: "Told Later" })
      for (const user of [{ sub: "s-2", login: "boss" }, { login: "boss" }, [], { sub: ["s-1"], login: "boss" }]) {
        asTold(user)
        assert.strictEqual(outcome(await walk(new Browser(), origin, "openid")), "provider_failed", JSON.stringify(user))
      }
      asTold({ sub: "s-1" })
      assert.strictEqual(await signedIn(new Browser(), origin, "openid"), "/", "and need not tell one")
    })
  )
})

layer(Served, { excludeTestServices: true })("a browser", (it) => {
  it.effect("that brings the code of somebody else's sign-in is not signed in with it", () =>
    inService(async ({ origin }) => {
      const [victim, thief] = [new Browser(), new Browser()]
      const callbackOf = async (browser: Browser) => {
        const back = await browser.follow(`${origin}/v1/auth/hub`, ({ pathname }) => pathname.endsWith("/callback"))
        return new URL(back.headers.get("location")!)
      }
      const [stolen, own] = [await callbackOf(victim), await callbackOf(thief)]
      own.searchParams.set("code", stolen.searchParams.get("code")!)
      assert.strictEqual(outcome(await thief.request(own.href)), "provider_failed", "the verifier is not that of the code")
      assert.strictEqual(outcome(await thief.request(stolen.href)), "invalid_state", "nor has it the state")
    })
  )

  it.effect("that brings the state of another provider, twice the same parameter, or none is not signed in", () =>
    inService(async ({ origin }) => {
      const tries: ReadonlyArray<readonly [(callback: URL) => string, string]> = [
        [(callback) => callback.href.replace("/hub/", "/strict/"), "invalid_state"],
        [({ origin, pathname }) => origin + pathname, "invalid_state"],
        [(callback) => `${callback.href}&code=x`, "provider_failed"],
        [(callback) => `${callback.href}&state=x`, "provider_failed"],
        [(callback) => `${callback.href}&error=access_denied`, "access_denied"],
        [(callback) => callback.href.replace(/code=[^&]*/, ""), "provider_failed"],
        [(callback) => callback.href.replace(/code=[^&]*/, `code=${"x".repeat(8_000)}`), "provider_failed"],
        [(callback) => callback.href.replace(/code=[^&]*/, "code=%00%ff%ED%A0%80"), "provider_failed"],
        [(callback) => `${callback.href}&response=a.b.c&id_token=a.b.c`, "provider_failed"]
      ]
      for (const [bend, expected] of tries) {
        const browser = new Browser()
        const back = await browser.follow(`${origin}/v1/auth/hub`, ({ pathname }) => pathname.endsWith("/callback"))
        const bent = bend(new URL(back.headers.get("location")!))
        assert.strictEqual(outcome(await browser.request(bent)), expected, bent.slice(0, 200))
        assert.strictEqual((await browser.request(`${origin}/v1/me`)).status, 401)
      }
    })
  )

  it.effect("whose state cookie is any junk is led away, never to a fault of ours", () =>
    inService(async ({ origin }) => {
      const junk = [
        "",
        ".",
        "a.b",
        "%00",
        "é".repeat(43),
        `e30.${"A".repeat(42)}é`,
        `e30.${"A".repeat(43)}`,
        "x".repeat(8_000),
        '"',
        "=;=;"
      ]
      for (const cookie of junk) {
        const headers = { cookie: `agon_sign_in=${cookie}; service_session=${cookie}` }
        const page = await new Browser().request(`${origin}/v1/auth/hub/callback?code=x&state=y`, {
          headers: new Headers([["cookie", Buffer.from(headers.cookie).toString("latin1")]])
        })
        assert.strictEqual(outcome(page), "invalid_state", cookie)
      }
    })
  )

  it.effect("that begins a thousand sign-ins leaves nothing behind but its own cookie", () =>
    Effect.gen(function* () {
      const { origin } = yield* SignInService
      const sql = yield* SqlClient.SqlClient
      const rows = Effect.map(
        sql<{
          n: number
        }>`SELECT ((SELECT count(*) FROM account) + (SELECT count(*) FROM identity) + (SELECT count(*) FROM session))::int AS n`,
        ([row]) => row!.n
      )
      const before = yield* rows
      yield* Effect.forEach(Array.from({ length: 1_000 }), () => Effect.promise(() => new Browser().request(`${origin}/v1/auth/hub`)), {
        concurrency: 8,
        discard: true
      })
      assert.strictEqual(yield* rows, before)
    })
  )
})

layer(Served, { excludeTestServices: true })("a profile", (it) => {
  const absurd: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>, RegExp, string]> = [
    ["without a name", { login: "plain" }, /^plain$/, "plain"],
    ["without a login", { login: undefined, name: "Nobody" }, /^s\d+$/, "Nobody"],
    ["with NUL bytes", { login: "nul\0", name: "N\0ul" }, /^s\d+$/, "N ul"],
    ["with halves of characters", { login: "half\ud800", name: "\udc00Half" }, /^s\d+$/, "Half"],
    ["with a huge login and name", { login: "l".repeat(100_000), name: "n".repeat(100_000) }, /^s\d+$/, "n".repeat(64)],
    ["with a login as long as one may be", { login: "m".repeat(200) }, /^m{39}$/, "m".repeat(64)],
    ["with a login of no letter", { login: "🐍🐍" }, /^user$/, "🐍🐍"],
    ["with a name of nothing", { login: "blank", name: " \t\n " }, /^blank$/, "blank"],
    ["of other types", { login: 5, name: ["x"] }, /^s\d+$/, "s"]
  ]
  for (const [what, profile, username, display_name] of absurd) {
    it.effect(`${what} is signed in all the same`, () =>
      inService(async ({ hub, openid, origin }) => {
        for (const [slug, stub] of [
          ["hub", hub],
          ["openid", openid]
        ] as const) {
          stub.says.profile = (n) => ({ id: `s${n}`, sub: `s${n}`, ...profile })
          const browser = new Browser()
          assert.strictEqual(await signedIn(browser, origin, slug), "/", slug)
          const account = await me(browser, origin)
          // The second of the two has a number behind its name.
          assert.match(account.username.replace(/(?<=^(plain|blank|user|m{39}))2$/, ""), username)
          assert.strictEqual(account.display_name.slice(0, display_name.length), display_name)
          assert.isAtMost(account.display_name.length, 64)
        }
      })
    )
  }

  it.effect("that names no subject which could be kept signs nobody in, and makes nobody", () =>
    inService(async ({ hub, openid, origin }) => {
      for (const subject of [undefined, null, "", "a\0b", "\ud800", "x".repeat(10_000), 2 ** 60, {}, true]) {
        hub.says.profile = () => ({ id: subject, login: "ghost" })
        assert.strictEqual(outcome(await walk(new Browser(), origin, "hub")), "provider_failed", JSON.stringify(subject))
        openid.says.profile = () => ({ sub: subject, login: "ghost" })
        assert.strictEqual(outcome(await walk(new Browser(), origin, "openid")), "provider_failed", JSON.stringify(subject))
      }
      assert.strictEqual((await new Browser().request(`${origin}/v1/profiles/ghost`)).status, 404)
    })
  )

  it.effect("that has another login than before keeps its account and username, and shows the login that it has", () =>
    inService(async ({ hub, origin }) => {
      const ids: Array<unknown> = []
      for (const login of ["Before", "after"]) {
        hub.says.profile = () => ({ id: 55, login, name: login })
        const browser = new Browser()
        await signedIn(browser, origin)
        const account = await me(browser, origin)
        ids.push(account.id)
        assert.deepInclude(account, { username: "before", display_name: "Before", identities: [{ provider: "hub", login }] })
      }
      assert.strictEqual(ids[0], ids[1])
    })
  )

  it.effect("of the administrator's login at another provider is no administrator's", () =>
    inService(async ({ hub, openid, origin }) => {
      for (const [slug, stub] of [
        ["hub", hub],
        ["openid", openid]
      ] as const) {
        stub.says.profile = () => ({ id: "boss", sub: "boss", login: "boss", admin: true })
        const browser = new Browser()
        await signedIn(browser, origin, slug)
        assert.deepInclude(await me(browser, origin), { admin: false, identities: [{ provider: slug, login: "boss" }] })
      }
      const browser = new Browser()
      await signIn(browser, origin, "BOSS")
      assert.isTrue((await me(browser, origin)).admin)
    })
  )

  it.effect("of the same login as nineteen others at the same moment gets a username of its own", () =>
    inService(async ({ hub, origin }) => {
      hub.says.profile = (n) => ({ id: 1_000 + n, login: "Zoe" })
      const browsers = Array.from({ length: 20 }, () => new Browser())
      const ends = await Promise.all(browsers.map((browser) => signedIn(browser, origin)))
      assert.deepStrictEqual(new Set(ends), new Set(["/"]))
      const names = (await Promise.all(browsers.map((browser) => me(browser, origin)))).map(({ username }) => username)
      assert.sameMembers(names, ["zoe", ...Array.from({ length: 19 }, (_, i) => `zoe${i + 2}`)])
    })
  )

  it.effect("that signs in ten times at the same moment for the first time makes one account", () =>
    inService(async ({ hub, origin }) => {
      hub.says.profile = () => ({ id: 77, login: "once" })
      const browsers = Array.from({ length: 10 }, () => new Browser())
      await Promise.all(browsers.map((browser) => signedIn(browser, origin)))
      const ids = (await Promise.all(browsers.map((browser) => me(browser, origin)))).map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, 1)
    })
  )

  it.effect("that is linked by two accounts at the same moment goes to one of them", () =>
    inService(async ({ hub, origin }) => {
      const browsers = [new Browser(), new Browser()]
      await signIn(browsers[0]!, origin, "first")
      await signIn(browsers[1]!, origin, "second")
      hub.says.profile = () => ({ id: 88, login: "coveted" })
      const ends = await Promise.all(browsers.map((browser) => walk(browser, origin, "hub")))
      assert.sameMembers(ends.map(outcome), ["/", "identity_taken"])
    })
  )
})
