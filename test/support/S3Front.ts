/** A front before the S3 server of the tests, which fails, cuts and races as networks and operators do. */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

export type Mishap = "503" | "cut" | "reset" | ((go: () => void, response: ServerResponse) => void) | undefined

/** Passes requests on as they are, Host included, since that is signed; `plan` says what goes wrong with which. */
export class Front {
  plan: (method: string, path: string) => Mishap = () => undefined
  readonly seen: Array<string> = []
  /** Answers what nobody has signed, as a bucket does that everybody may read. */
  open = false
  /** The origin whose pages may ask, as a bucket's CORS rules have it. */
  allows: string | undefined
  readonly target: URL
  constructor(target: string) {
    this.target = new URL(target)
  }
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const method = request.method ?? ""
    this.seen.push(`${method} ${request.url}`)
    if (this.open && request.headers.authorization === undefined) return void response.writeHead(200).end("probe")
    if (method === "OPTIONS") return void response.writeHead(this.allowed(request) ? 204 : 403, this.cors(request)).end()
    const mishap = this.plan(method, request.url ?? "")
    if (mishap === "reset") return void request.socket.destroy()
    if (mishap === "503") return void request.resume().on("end", () => response.writeHead(503).end("<Error><Code>SlowDown</Code></Error>"))
    const go = () => this.forward(request, response, mishap === "cut")
    if (typeof mishap === "function") mishap(go, response)
    else go()
  }
  allowed({ headers }: IncomingMessage): boolean {
    return headers.origin !== undefined && headers.origin === this.allows
  }
  /** As docs/operating.md#a-bucket has the rule. */
  cors(request: IncomingMessage): Readonly<Record<string, string>> {
    if (!this.allowed(request)) return {}
    return {
      "access-control-allow-origin": this.allows!,
      "access-control-allow-methods": "PUT",
      "access-control-allow-headers": "content-type,x-amz-checksum-sha256"
    }
  }
  forward(request: IncomingMessage, response: ServerResponse, cut: boolean): void {
    const { hostname: host, port } = this.target
    const { method, url: path, headers } = request
    const onward = httpRequest({ host, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, { ...answer.headers, ...this.cors(request) })
      // Swift sends a body after HEAD as well, which Node's parser reports as an error once the head is through.
      if (method === "HEAD") return void response.end()
      if (!cut) return void answer.pipe(response)
      answer.once("data", (chunk: Buffer) => response.write(chunk.subarray(0, 10), () => request.socket.destroy()))
    })
    onward.on("error", () => response.headersSent || response.destroy())
    request.pipe(onward)
  }
}

export const front = (target: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const it = new Front(target)
      const server = createServer(it.handle)
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      return { it, server, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((done) => server.close(done))
      })
  )
