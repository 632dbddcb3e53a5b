/** A page of the tests' own with the replay player on it, under the strict policy of the site's pages. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { load, scriptTag } from "@agon/site/islands.ts"
import { Effect } from "effect"

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'"

const STYLE =
  "html { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif } body { margin: 0; background: light-dark(#fff, #14181c); color: light-dark(#1c2126, #e6e9ec) } main { padding: 1rem; max-width: 64rem; margin: auto }"

export interface Shown {
  readonly replay: string
  readonly names?: ReadonlyArray<unknown>
  readonly turn?: number
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")

export class PlayerPage {
  readonly origin: string
  readonly close: () => Promise<void>
  readonly #shown: Map<string, Shown>

  constructor(origin: string, close: () => Promise<void>, shown: Map<string, Shown>) {
    this.origin = origin
    this.close = close
    this.#shown = shown
  }

  static async open(): Promise<PlayerPage> {
    const islands = await Effect.runPromise(load())
    const shown = new Map<string, Shown>()
    const page = ({ names, turn }: Shown, id: string) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>A match</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/style.css">${scriptTag(islands.address("replay"))}
<main><h1>A match</h1><agon-replay src="/replays/${id}" game="snakes" board="open-7" names="${escaped(JSON.stringify(names ?? []))}"${turn === undefined ? "" : ` turn="${turn}"`}><p>No script runs.</p></agon-replay></main></html>`
    const answer = (path: string): readonly [type: string, body: string] | undefined => {
      const [, folder = "", name = ""] = path.split("/")
      if (folder === "favicon.ico") return ["image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>"]
      const asset = islands.files.get(name)
      if (folder === "assets" && asset !== undefined) return [asset.content_type, asset.text]
      if (folder === "style.css") return ["text/css", STYLE]
      const one = shown.get(name)
      if (one === undefined) return undefined
      return folder === "replays" ? ["application/json", one.replay] : ["text/html; charset=utf-8", page(one, name)]
    }
    const server = createServer((request, response) => {
      const [type, body] = answer(new URL(request.url!, "http://localhost").pathname) ?? []
      response
        .writeHead(body === undefined ? 404 : 200, { "content-type": type ?? "text/plain", "content-security-policy": POLICY })
        .end(body)
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const close = () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      })
    return new PlayerPage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, close, shown)
  }

  /** The page's address. */
  show(shown: Shown): string {
    const id = String(this.#shown.size)
    this.#shown.set(id, shown)
    return `${this.origin}/matches/${id}`
  }
}
