/** Somebody who talks to the service over HTTP, with or without a session, and waits as long as a 429 or 503 tells. */
import { setTimeout as pause } from "node:timers/promises"
import { Browser, signIn } from "../support/Browser.ts"

export interface Answer {
  readonly status: number
  /** The body of a JSON answer, which the test knows the shape of. */
  readonly json: any
}

const WAITS_MAX = 120
const TIMEOUT_MS = 60_000
const SIGN_INS = 5

export class Visitor {
  private readonly origin: string
  private readonly session: string | undefined

  constructor(origin: string, session?: string) {
    this.origin = origin
    this.session = session
  }

  static async signedIn(origin: string, login: string): Promise<Visitor> {
    for (let tries = 0; tries < SIGN_INS; tries++) {
      const browser = new Browser()
      await signIn(browser, origin, login)
      const session = browser.cookie(origin, "service_session")
      if (session !== undefined) return new Visitor(origin, session)
      await pause(1_000) // a service that has just started on a busy machine says 503
    }
    throw new Error(`${login} could not sign in`)
  }

  /** The same person at another address of the service. */
  at(origin: string): Visitor {
    return new Visitor(origin, this.session)
  }

  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    for (let waits = 0; ; waits++) {
      const response = await fetch(`${this.origin}${path}`, {
        method,
        headers: {
          ...(this.session === undefined ? {} : { cookie: `service_session=${this.session}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS)
      })
      const text = await response.text()
      if ((response.status !== 429 && response.status !== 503) || waits === WAITS_MAX) {
        return { status: response.status, json: text === "" ? undefined : JSON.parse(text) }
      }
      await pause(1000 * Number(response.headers.get("retry-after") ?? 1))
    }
  }

  /** The status of the first answer, whatever it is. */
  async once(method: string, path: string, body: unknown): Promise<number> {
    const headers = { cookie: `service_session=${this.session}`, "content-type": "application/json" }
    return (await fetch(`${this.origin}${path}`, { method, headers, body: JSON.stringify(body), signal: AbortSignal.timeout(TIMEOUT_MS) }))
      .status
  }

  /** The body of an answer that must have this status. */
  private async expect(status: number, method: string, path: string, body?: unknown): Promise<any> {
    const answer = await this.ask(method, path, body)
    if (answer.status === status) return answer.json
    throw new Error(`${method} ${path} was answered ${answer.status}: ${JSON.stringify(answer.json)}`)
  }

  get(path: string): Promise<any> {
    return this.expect(200, "GET", path)
  }

  post(path: string, body: unknown): Promise<any> {
    return this.expect(201, "POST", path, body)
  }

  patch(path: string, body: unknown): Promise<any> {
    return this.expect(200, "PATCH", path, body)
  }

  /** Sends bytes where a signed URL says. */
  async upload(
    { headers, method, url }: { readonly headers: Record<string, string>; readonly method: string; readonly url: string },
    bytes: Uint8Array<ArrayBuffer>
  ) {
    const response = await fetch(url, { method, headers, body: bytes, signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!response.ok) throw new Error(`an upload was answered ${response.status}: ${await response.text()}`)
  }
}
