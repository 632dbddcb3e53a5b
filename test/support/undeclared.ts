/**
 * Every answer of the service that a test gets by `fetch` must be one that its route declares; so must
 * those of Web.ts, which come without a socket. An answer that is not is thrown where it was asked for, and fails the
 * test also where the asker shrugs it off. (The typed client needs no help: a status or code that is
 * not declared it cannot read.)
 */
import { afterEach, assert } from "vitest"
import { faults } from "./faults.ts"

/** A worker sets up once for each of its files, and fetches through one guard. */
const guarded: { ask?: typeof fetch } = ((globalThis as any)[Symbol.for("agon/test/undeclared")] ??= {})
const ask = (guarded.ask ??= globalThis.fetch)

/** Only our service names its requests; a test's provider or store does not, and declares nothing. */
const isOurs = (url: URL, { headers }: Response) => url.pathname.startsWith("/v1/") && headers.has("x-request-id")

globalThis.fetch = async (input, init) => {
  const response = await ask(input, init)
  const request = input instanceof Request ? input : { url: String(input), method: "GET" }
  const url = new URL(request.url)
  if (!isOurs(url, response)) return response
  const { assertDeclared } = await import("./Declared.ts") // the whole API: most test files need it not
  const said = { status: response.status, headers: response.headers, text: await response.clone().text() }
  assertDeclared(init?.method ?? request.method, url.href, said)
  return response
}

afterEach(() => assert.deepStrictEqual(faults.splice(0), []))
