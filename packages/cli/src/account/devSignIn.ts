/**
 * Walks the development sign-in as a browser would: to the provider's page, through its one form, back with a
 * session. It adapts fetch to Effect. Each cookie is sent only to the paths that it names.
 */
import { Effect, Schema } from "effect"
import { messageOf, unreachable } from "../Service.ts"

class SignInFailed extends Schema.TaggedError<SignInFailed>()("SignInFailed", { login: Schema.String, detail: Schema.String }) {}

interface Cookie {
  readonly value: string
  readonly path: string
}

const HOPS_MAX = 20
const TIMEOUT_MS = 15_000

/** The token of a new session for this login name. */
export const devSignIn = (origin: string, login: string): Effect.Effect<string, SignInFailed> =>
  Effect.tryPromise({
    try: () => walk(origin, login),
    catch: (error) => new SignInFailed({ login, detail: sentenceOf(origin, login, error as Error) })
  })

/** fetch says of its own failures only that it failed; their cause says why. */
const sentenceOf = (origin: string, login: string, { cause, message, name }: Error): string => {
  if (name === "TimeoutError") return unreachable(origin, `no answer in ${TIMEOUT_MS / 1000} s`)
  if (cause !== undefined) return unreachable(origin, messageOf(cause) || message)
  return `Signing in as ${login} at ${origin} failed: ${message}.`
}

const walk = async (origin: string, login: string): Promise<string> => {
  const jar = new Map<string, Cookie>()
  const form = await follow(jar, `${origin}/v1/auth/dev`)
  const posted = await ask(jar, form.url, { method: "POST", body: new URLSearchParams({ login }) })
  const location = posted.response.headers.get("location")
  if (location === null) throw new Error(`the sign-in page answered ${posted.response.status}`)
  await follow(jar, new URL(location, form.url).href, () => jar.has("service_session"))
  const session = jar.get("service_session")
  if (session === undefined) throw new Error("the sign-in ended without a session")
  return session.value
}

const follow = async (jar: Map<string, Cookie>, address: string, until = () => false) => {
  let page = await ask(jar, address)
  for (let hops = 0; page.response.headers.has("location") && !until(); hops++) {
    if (hops === HOPS_MAX) throw new Error(`redirects without end at ${page.url}`)
    page = await ask(jar, new URL(page.response.headers.get("location")!, page.url).href)
  }
  return page
}

const ask = async (jar: Map<string, Cookie>, url: string, init: RequestInit = {}) => {
  const { pathname } = new URL(url)
  const cookie = [...jar].filter(([, { path }]) => pathname.startsWith(path)).map(([name, { value }]) => `${name}=${value}`)
  const headers = cookie.length === 0 ? {} : { cookie: cookie.join("; ") }
  const response = await fetch(url, { ...init, headers, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) })
  for (const line of response.headers.getSetCookie()) keep(jar, line)
  await response.arrayBuffer()
  return { url, response }
}

const keep = (jar: Map<string, Cookie>, line: string): void => {
  const [pair = "", ...attributes] = line.split(";").map((part) => part.trim())
  const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice("path=".length) ?? "/"
  const [name = "", ...value] = pair.split("=")
  jar.set(name, { value: value.join("="), path })
}
