/** An OpenTelemetry collector on a free port of loopback: it keeps the spans that it is sent (OTLP over HTTP, JSON). */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"

export interface Span {
  /** The program that sent it. */
  readonly program: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
  readonly begun_ms: number
  readonly ended_ms: number
}

/** How it answers: as it should, with 500, or never. */
export type Manner = "takes" | "refuses" | "hangs"

export interface Collector {
  readonly url: string
  readonly spans: ReadonlyArray<Span>
  /** Requests with spans, and how many of them have been without an answer at the same time. */
  readonly requests: () => number
  readonly mostOpen: () => number
}

export const collector = (manner: Manner = "takes"): Effect.Effect<Collector, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => listening(manner)),
    ({ close }) => Effect.promise(close)
  )

const listening = async (manner: Manner) => {
  const spans: Array<Span> = []
  const open = new Set<ServerResponse>()
  let requests = 0
  let mostOpen = 0
  const server = createServer(async (request, response) => {
    if (request.url === "/v1/traces") {
      requests++
      response.once("close", () => open.delete(response.on("error", () => {})))
      mostOpen = Math.max(mostOpen, open.add(response).size)
      spans.push(...spansIn(await bodyOf(request)))
    } else request.resume()
    if (manner !== "hangs") response.writeHead(manner === "takes" ? 200 : 500, { "content-type": "application/json" }).end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, spans, requests: () => requests, mostOpen: () => mostOpen, close }
}

const bodyOf = async (request: IncomingMessage): Promise<any> => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString())
}

const plain = (attributes: ReadonlyArray<{ key: string; value: object }>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansIn = (body: any): ReadonlyArray<Span> =>
  body.resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    scopeSpans
      .flatMap(({ spans }: any) => spans)
      .map(({ attributes, endTimeUnixNano, links, name, parentSpanId, spanId, startTimeUnixNano, traceId }: any) => ({
        program: plain(resource.attributes)["service.name"],
        ...{ traceId, spanId, parentSpanId, name, links, attributes: plain(attributes) },
        begun_ms: Number(BigInt(startTimeUnixNano) / 1_000_000n),
        ended_ms: Number(BigInt(endTimeUnixNano) / 1_000_000n)
      }))
  )
