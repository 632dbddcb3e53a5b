import { connect } from "node:net"
import { makeDevSignIn } from "@agon/server/account/signin/DevSignIn.ts"
import { publicOrigin } from "@agon/server/config/publicOrigin.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Browser, signIn } from "../support/Browser.ts"
import * as Service from "../support/SignInService.ts"

const inBrowser = <A>(run: (browser: Browser, origin: string, port: number) => Promise<A>) =>
  Effect.flatMap(Service.SignInService, ({ origin, port }) => Effect.promise(() => run(new Browser(), origin, port)))

const me = async (browser: Browser, origin: string) => JSON.parse((await browser.request(`${origin}/v1/me`)).text)
const errorOf = (page: { readonly headers: Headers }) => /sign_in_error=(\w+)/.exec(page.headers.get("location") ?? "")?.[1]

/** The answer to a client that reads nothing before it has sent everything, piece by piece. */
const sendWhole = async (port: number, request: string) => {
  const socket = connect(port, "127.0.0.1").pause()
  let answer = ""
  socket.on("data", (chunk) => (answer += chunk)).on("error", () => {}) // a reset leaves the answer empty
  for (let at = 0; at < request.length && !socket.destroyed; at += 100_000) {
    socket.write(request.slice(at, at + 100_000))
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve).resume())
  return answer
}

layer(Service.layer(), { excludeTestServices: true })("signing in", (it) => {
  it.effect("through the development provider makes an account, and again finds it", () =>
    inBrowser(async (browser, origin) => {
      const end = await signIn(browser, origin, "Carol", "?return_to=/games?x=1")
      assert.strictEqual(end.headers.get("location"), "/games?x=1")
      const cookie = end.headers.getSetCookie().find((line) => line.startsWith("service_session="))!
      assert.match(cookie, /^service_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
      const account = await me(browser, origin)
      assert.deepInclude(account, { username: "carol", display_name: "carol", bio: "", admin: false, season_admin: [] })
      assert.deepStrictEqual(account.identities, [{ provider: "dev", login: "carol" }])
      const again = new Browser()
      await signIn(again, origin, "carol")
      assert.strictEqual((await me(again, origin)).id, account.id)
    })
  )

  it.effect("makes the configured administrator one, and nobody else", () =>
    inBrowser(async (browser, origin) => {
      await signIn(browser, origin, "boss")
      assert.isTrue((await me(browser, origin)).admin)
    })
  )

  it.effect("makes the configured administrator one again whom another has put out of office, but lets nobody in who is suspended", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { origin } = yield* Service.SignInService
      const enter = Effect.promise(async () => {
        const browser = new Browser()
        return { end: await signIn(browser, origin, "boss"), account: await me(browser, origin) }
      })
      yield* sql`UPDATE account SET admin = false WHERE username = 'boss'`
      assert.isTrue((yield* enter).account.admin)
      yield* sql`UPDATE account SET admin = false, suspended = true WHERE username = 'boss'`
      assert.strictEqual(errorOf((yield* enter).end), "account_suspended")
      assert.deepStrictEqual(yield* sql`SELECT admin FROM account WHERE username = 'boss'`, [{ admin: false }])
    })
  )

  it.effect("gives a login that is taken a number, and keeps the two apart", () =>
    inBrowser(async (browser, origin) => {
      const end = await browser.follow(`${origin}/v1/auth/hub`, ({ pathname }) => pathname === "/")
      assert.strictEqual(end.headers.get("location"), "/")
      const account = await me(browser, origin)
      assert.deepInclude(account, { username: "ada2", display_name: "Ada Lovelace" }) // ada is one of the test's own
      assert.deepStrictEqual(account.identities, [{ provider: "hub", login: "Ada" }])
    })
  )

  it.effect("takes the smallest number that is free, however many are taken", () =>
    Effect.gen(function* () {
      const { origin } = yield* Service.SignInService
      const sql = yield* SqlClient.SqlClient
      const usernameIn = Effect.fnUntraced(function* (login: string) {
        const browser = new Browser()
        yield* Effect.promise(() => signIn(browser, origin, login))
        return (yield* Effect.promise(() => me(browser, origin))).username
      })
      yield* sql`
        INSERT INTO account (id, username, display_name, created_at)
        SELECT new_id(now()), 'grace' || coalesce(nullif(n, 1)::text, ''), 'Grace', now() FROM generate_series(1, 3000) n WHERE n <> 2043`
      assert.strictEqual(yield* usernameIn("grace"), "grace2043")
      assert.strictEqual(yield* usernameIn("grace!"), "grace3001")
    })
  )

  it.effect("while signed in links the identity, once, and refuses one that somebody else has", () =>
    inBrowser(async (browser, origin) => {
      await signIn(browser, origin, "dave")
      const { id } = await me(browser, origin)
      const session = browser.cookie(origin, "service_session")
      await signIn(browser, origin, "dave-too")
      await signIn(browser, origin, "dave-too")
      const account = await me(browser, origin)
      assert.strictEqual(account.id, id)
      assert.strictEqual(browser.cookie(origin, "service_session"), session)
      assert.deepStrictEqual(
        account.identities.map((identity: any) => identity.login),
        ["dave", "dave-too"]
      )
      const other = new Browser()
      await signIn(other, origin, "eve")
      assert.strictEqual(errorOf(await signIn(other, origin, "dave")), "identity_taken")
      assert.strictEqual((await me(other, origin)).identities.length, 1)
    })
  )

  it.effect("refuses a state that is not ours, is another's, or was used before, and a code that was used before", () =>
    inBrowser(async (browser, origin) => {
      const callback = `${origin}/v1/auth/dev/callback`
      assert.strictEqual(errorOf(await browser.request(`${callback}?code=x&state=y`)), "invalid_state")
      const page = await browser.follow(`${origin}/v1/auth/dev`)
      const cookie = `agon_sign_in=${[...(browser as any).jars.get(origin).values()].find((c: any) => c.name === "agon_sign_in").value}`
      const after = await browser.submit(page, { login: "frank" })
      const resumed = await browser.follow(after.headers.get("location")!, ({ pathname }) => pathname.startsWith("/v1/"))
      const answer = resumed.headers.get("location")!
      const forged = await new Browser().request(answer, { headers: { cookie: cookie.replace(/.$/, (c) => (c === "A" ? "B" : "A")) } })
      assert.strictEqual(errorOf(forged), "invalid_state")
      const otherState = answer.replace(/state=[^&]+/, "state=other")
      assert.strictEqual(errorOf(await new Browser().request(otherState, { headers: { cookie } })), "invalid_state")
      // The try above used the state up, so even the true answer comes too late; a fresh sign-in shows the rest.
      assert.strictEqual(errorOf(await browser.request(answer)), "invalid_state")
      const good = new Browser()
      const end = await signIn(good, origin, "frank")
      const replayed = await good.request(end.url, { headers: { cookie } })
      assert.strictEqual(errorOf(replayed), "invalid_state")
      const begun = await good.request(`${origin}/v1/auth/dev`)
      const state = new URL(begun.headers.get("location")!, origin).searchParams.get("state")!
      const oldCode = new URL(end.url)
      oldCode.searchParams.set("state", state)
      assert.strictEqual(errorOf(await good.request(oldCode.href)), "provider_failed")
    })
  )

  it.effect("returns to no other origin, however it is written", () =>
    inBrowser(async (browser, origin) => {
      for (const hostile of [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "/.//evil.example",
        "javascript:x"
      ]) {
        const end = await signIn(browser, origin, "grace", `?return_to=${encodeURIComponent(hostile)}`)
        assert.strictEqual(end.headers.get("location"), "/", hostile)
      }
    })
  )

  it.effect("begins on the public origin, so that the state cookie is kept", () =>
    inBrowser(async (browser, origin, port) => {
      const page = await browser.request(`http://127.0.0.1:${port}/v1/auth/dev?return_to=/x`)
      assert.strictEqual(page.headers.get("location"), `${origin}/v1/auth/dev?return_to=/x`)
    })
  )

  it.effect("is refused to a suspended account, whose sessions are at an end", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { origin } = yield* Service.SignInService
      const browser = new Browser()
      yield* Effect.promise(() => signIn(browser, origin, "mallory"))
      yield* sql`UPDATE account SET suspended = true WHERE username = 'mallory'`
      const answer = yield* Effect.promise(() => browser.request(`${origin}/v1/me`))
      assert.strictEqual(answer.status, 401)
      assert.strictEqual(browser.cookie(origin, "service_session"), undefined)
      assert.strictEqual(errorOf(yield* Effect.promise(() => signIn(browser, origin, "mallory"))), "account_suspended")
    })
  )

  it.effect("through a provider nobody configured is 404, at either end", () =>
    inBrowser(async (browser, origin) => {
      for (const path of ["/v1/auth/nowhere", "/v1/auth/nowhere/callback?code=x&state=y"]) {
        const page = await browser.request(`${origin}${path}`)
        assert.deepStrictEqual([page.status, JSON.parse(page.text).code], [404, "unknown_provider"])
      }
      const list = await browser.request(`${origin}/v1/auth-providers`)
      assert.deepStrictEqual(JSON.parse(list.text), [
        { slug: "dev", label: "Development" },
        { slug: "hub", label: "Hub" },
        { slug: "strict", label: "Hub" },
        { slug: "openid", label: "openid" },
        { slug: "openid-too", label: "openid-too" },
        { slug: "down", label: "down" }
      ])
    })
  )

  it.effect("in the development provider meets what is no sign-in with a refusal, never with a fault", () =>
    inBrowser(async (browser, origin) => {
      const page = await browser.follow(`${origin}/v1/auth/dev`)
      const post = (body: NonNullable<RequestInit["body"]>, url = page.url) => browser.request(url, { method: "POST", body })
      const refused = [
        await post(new URLSearchParams({ login: "x".repeat(10_000) })),
        await post(new URLSearchParams({ login: "x".repeat(65) })),
        await post(""),
        await post("%00%ff=\0&login"),
        await post(Buffer.from([0xff, 0xfe, 0x00])),
        await new Browser().request(page.url),
        await post(new URLSearchParams({ login: "x" }), `${origin}/dev-idp/interaction/none`),
        await browser.request(`${origin}/dev-idp/interaction/`),
        await browser.request(`${origin}/dev-idp/auth?client_id=other&redirect_uri=http://evil.example`),
        await browser.request(`${origin}/dev-idp/auth?client_id=agon&response_type=code&redirect_uri=http://evil.example&scope=openid`),
        await browser.request(`${origin}/dev-idp/auth/${"x".repeat(5_000)}`),
        await browser.request(`${origin}/dev-idp/%zz%00`),
        await browser.request(`${origin}/dev-idp/token`, { method: "POST", body: "grant_type=authorization_code" }),
        await browser.request(`${origin}/dev-idp/token`, { method: "POST", body: "{" }),
        await browser.request(`${origin}/dev-idp/me`, { headers: { authorization: "Bearer x" } }),
        await browser.request(`${origin}/dev-idp`, { method: "DELETE" }),
        await browser.request(`${origin}/dev-idp?client_id=agon`)
      ]
      for (const { headers, status, url } of refused) {
        assert.isTrue(status >= 400 && status < 500, `${status} ${url.slice(0, 120)}`)
        assert.isNotNull(headers.get("x-request-id"), url)
        assert.notInclude(headers.get("location") ?? "", "evil")
      }
      assert.strictEqual((await browser.submit(page, { login: "still-here" })).status, 303)
    })
  )

  it.effect("in the development provider is told that a form is too large, also where the connection ends with the answer", () =>
    inBrowser(async (browser, origin, port) => {
      const page = await browser.follow(`${origin}/v1/auth/dev`)
      const cookie = [...(browser as any).jars.get(origin).values()].map(({ name, value }: any) => `${name}=${value}`).join("; ")
      for (const bytes of [4_097, 3_000_000]) {
        const head = [
          `POST ${new URL(page.url).pathname} HTTP/1.1`,
          `host: localhost:${port}`,
          `cookie: ${cookie}`,
          `content-length: ${bytes}`
        ]
        const answer = await sendWhole(port, `${head.join("\r\n")}\r\nconnection: close\r\n\r\n${"login=".padEnd(bytes, "x")}`)
        assert.match(answer, /^HTTP\/1\.1 413 .*The form is too large\./s, String(bytes))
      }
      assert.strictEqual((await browser.submit(page, { login: "heidi" })).status, 303)
    })
  )

  it.effect("in the development provider needs a login, and nothing but loopback", () =>
    inBrowser(async (browser, origin) => {
      const page = await browser.follow(`${origin}/v1/auth/dev`)
      assert.include(page.text, 'name="login"')
      assert.strictEqual((await browser.submit(page, { login: " " })).status, 400)
      assert.throws(() => makeDevSignIn({ host: "0.0.0.0", origin: publicOrigin(origin), secret: "x" }), /does not start on 0.0.0.0/)
    })
  )
})
