/** The check that every test's answers are held to: what it finds, and that nobody gets around it. */

import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "vitest"
import { faultOf } from "../support/Declared.ts"
import { faults } from "../support/faults.ts"

const json = { "x-request-id": "r-1", "content-type": "application/problem+json" }
const problem = (status: number, code: string, more: object = {}) =>
  JSON.stringify({ type: `/errors#${code}`, title: "x", status, detail: "x", code, ...more })
const fault = (method: string, path: string, status: number, text = "", headers: Record<string, string> = json) =>
  faultOf(method, path, { status, headers: new Headers(headers), text })
const refused = (method: string, path: string, status: number, code: string, headers?: Record<string, string>) =>
  fault(method, path, status, problem(status, code), headers)

describe("an answer", () => {
  it("may be what its route declares, and a 304 where it is shared", () => {
    assert.isUndefined(fault("GET", "/v1/me", 200))
    assert.isUndefined(fault("HEAD", "/v1/games?x=1", 200))
    assert.isUndefined(fault("GET", "/v1/games", 304))
    assert.isUndefined(refused("POST", "/v1/submissions/reenter", 404, "nothing_to_reenter"))
    assert.isUndefined(refused("GET", "/v1/me", 408, "request_timeout")) // before anybody knows which route it is
  })

  it("may be no status and no code beside them", () => {
    assert.match(fault("GET", "/v1/me", 304)!, /status that the route does not declare/)
    assert.match(fault("POST", "/v1/submissions", 202)!, /status that the route does not declare/)
    assert.match(refused("GET", "/v1/me", 404, "unknown_game")!, /code that the route does not declare/)
    assert.match(refused("GET", "/v1/me", 400, "unauthenticated")!, /code that the route does not declare/)
  })

  it("is 404 where there is no such path and 405 where there is no such method", () => {
    assert.isUndefined(refused("GET", "/v1/nothing", 404, "not_found"))
    assert.match(refused("GET", "/v1/nothing", 401, "unauthenticated")!, /else than 404/)
    assert.isUndefined(refused("PUT", "/v1/me", 405, "method_not_allowed", { ...json, allow: "GET, HEAD, PATCH" }))
    assert.match(refused("PUT", "/v1/me", 405, "method_not_allowed", { ...json, allow: "GET" })!, /which methods/)
    assert.match(refused("PUT", "/v1/me", 404, "not_found")!, /else than 405/)
  })

  it("that refuses is a whole problem which tells nothing of the inside, and every answer names its request", () => {
    assert.match(fault("GET", "/v1/me", 401, "no", { ...json, "content-type": "text/plain" })!, /no problem/)
    assert.match(fault("GET", "/v1/me", 401, JSON.stringify({ status: 401, code: "unauthenticated" }))!, /lacks type/)
    assert.match(fault("GET", "/v1/me", 401, problem(401, "unauthenticated", { status: 403 }))!, /contradicts itself/)
    assert.match(fault("GET", "/v1/me", 401, problem(401, "unauthenticated", { detail: "at me (src/me.ts:3:7)" }))!, /too much/)
    assert.match(fault("GET", "/v1/me", 200, "{}", {})!, /no request id/)
  })

  it("that is not declared fails the test that fetched it, also one that shrugs it off", async () => {
    const server = createServer((_request, response) => response.writeHead(418, json).end(problem(418, "teapot"))).listen(0, "127.0.0.1")
    await once(server, "listening")
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/me`
    const message = await fetch(url).then(
      () => "it was taken",
      ({ message }) => message
    )
    server.close()
    assert.include(message, "418")
    assert.deepStrictEqual(faults.splice(0), [message]) // what is left there fails this test when it ends
  })
})
