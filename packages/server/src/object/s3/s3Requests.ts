/**
 * Signed requests to one bucket of an S3 server, path-style (every server speaks it, and no name is looked up per
 * bucket). Reads and writes here are idempotent, so a request that fails by the network, by 5xx or by 429 is repeated a
 * bounded number of times. Any other unexpected answer needs the operator and fails at once.
 */
import { AwsClient } from "aws4fetch"
import { Clock, Effect, Option, Redacted, Schedule, Stream } from "effect"
import { collect } from "../contentMeter.ts"
import { ObjectsUnavailable } from "../ObjectStore.ts"
import { assertObjectKey } from "../objectKey.ts"
import { presignS3 } from "./presignS3.ts"

export interface S3Options {
  /** `https://host[:port][/path]` */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
}

interface S3Request {
  readonly operation: string
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE"
  /** Empty for the bucket itself. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | Blob
  /** Time until the response headers arrive, where it is not `ANSWER_TIMEOUT`. */
  readonly timeout?: "10 minutes" | "10 seconds"
  /** Statuses besides 2xx that the caller reads as answers. */
  readonly answers?: ReadonlyArray<number>
}

/** Time until the response headers arrive. A server-side copy of the largest model takes the longest. */
const ANSWER_TIMEOUT = "60 seconds"
/** Time between two chunks of a body. */
const CHUNK_TIMEOUT = "30 seconds"
const UNSIGNED_TIMEOUT = "10 seconds"
const RETRIES = 3
const backoff = Schedule.exponential("100 millis").pipe(Schedule.jittered)
/** Error bodies are a few hundred bytes; a proxy's error page that is longer is not looked at. */
const ERROR_BODY_BYTES_MAX = 65_536
/** From the headers to the end of an answer that is no object. S3 may send spaces for as long as a copy takes. */
const TEXT_TIMEOUT = "60 seconds"

interface Fault {
  readonly detail: string
  readonly transient: boolean
}

const reason = (cause: unknown): string => {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause
  return inner instanceof Error ? ("code" in inner && String(inner.code)) || inner.message : String(inner)
}

const amzDate = (now_ms: number): string => new Date(now_ms).toISOString().replace(/[:-]|\.\d{3}/g, "")

/** Every store tells the ETag of an object; the page of a proxy in front of it has none. */
const isStrange = ({ key, method }: S3Request, { headers }: Response): boolean =>
  key !== "" && (method === "GET" || method === "HEAD") && !headers.has("etag")

/** Signatures are refused where clocks are 15 minutes apart. The answer to a HEAD names no reason, but every answer has a time. */
const APART_MS = 10 * 60_000

const apartBy = ({ headers, status }: Response, now_ms: number): string => {
  const ahead_ms = now_ms - Date.parse(headers.get("date") ?? "")
  if (status !== 403 || !(Math.abs(ahead_ms) > APART_MS)) return ""
  const by = `${Math.round(Math.abs(ahead_ms) / 60_000)} min ${ahead_ms > 0 ? "ahead of" : "behind"}`
  return `: this machine's clock is ${by} the store's; set both by NTP`
}

export type S3Requests = ReturnType<typeof s3Requests>

export const s3Requests = (options: S3Options) => {
  const client = new AwsClient({
    accessKeyId: options.accessKeyId,
    secretAccessKey: Redacted.value(options.secretAccessKey),
    service: "s3",
    region: options.region
  })
  const base = new URL(`${options.endpoint.replace(/\/+$/, "")}/${options.bucket}`).href
  const urlOf = ({ key, query }: S3Request): URL => {
    const url = new URL(key === "" ? base : `${base}/${assertObjectKey(key)}`)
    if (query !== undefined) url.search = new URLSearchParams(query).toString()
    return url
  }

  const once = (request: S3Request): Effect.Effect<Response, Fault> =>
    Effect.gen(function* () {
      const datetime = amzDate(yield* Clock.currentTimeMillis)
      const response = yield* Effect.tryPromise({
        try: async (signal) => {
          const { method, headers = {}, body } = request
          const init = { method, headers, ...(body === undefined ? {} : { body }), aws: { datetime } }
          const signed = await client.sign(urlOf(request), init)
          // Set after signing: proxies rewrite it, and a compressed answer would hide the object's length.
          signed.headers.set("accept-encoding", "identity")
          return fetch(signed, { signal })
        },
        catch: (cause): Fault => ({ detail: reason(cause), transient: true })
      })
      if (response.ok && isStrange(request, response)) {
        yield* discard(response)
        return yield* Effect.fail<Fault>({ detail: `${response.status} without an ETag, which is no answer of a store`, transient: true })
      }
      if (response.ok || request.answers?.includes(response.status)) return response
      const text = yield* Effect.orElseSucceed(textOf(request.operation, request.key, response, ERROR_BODY_BYTES_MAX), () => "")
      const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? ""
      return yield* Effect.fail<Fault>({
        detail: `${response.status} ${code}`.trim() + apartBy(response, yield* Clock.currentTimeMillis),
        transient: response.status >= 500 || response.status === 429
      })
    }).pipe(
      Effect.timeoutOrElse({
        duration: request.timeout ?? ANSWER_TIMEOUT,
        orElse: () => Effect.fail<Fault>({ detail: `no answer in ${request.timeout ?? ANSWER_TIMEOUT}`, transient: true })
      })
    )

  /** The caller reads or discards the body. */
  const send = (request: S3Request): Effect.Effect<Response, ObjectsUnavailable> =>
    once(request).pipe(
      Effect.retry({ while: (fault) => fault.transient, times: RETRIES, schedule: backoff }),
      Effect.mapError(({ detail }) => new ObjectsUnavailable({ operation: request.operation, key: request.key, detail }))
    )

  const presigned = presignS3({ ...options, base, secretAccessKey: Redacted.value(options.secretAccessKey) })
  const presign = (method: "GET" | "PUT", key: string, expires_s: number, headers: Readonly<Record<string, string>>, now_ms: number) =>
    presigned({ method, key: assertObjectKey(key), headers, expires_s, datetime: amzDate(now_ms) })

  /** The status of a GET without a signature; 0 where there was no answer. */
  const unsigned = (key: string) =>
    Effect.tryPromise(async (signal) => {
      const response = await fetch(`${base}/${assertObjectKey(key)}`, { signal, redirect: "manual" })
      await response.body?.cancel().catch(() => undefined)
      return response.status
    }).pipe(
      Effect.timeout(UNSIGNED_TIMEOUT),
      Effect.orElseSucceed(() => 0)
    )

  return { send, presign, unsigned }
}

export const discard = (response: Response): Effect.Effect<void> =>
  Effect.promise(async () => {
    await response.body?.cancel().catch(() => undefined)
  })

export const bodyOf = (operation: string, key: string, response: Response): Stream.Stream<Uint8Array, ObjectsUnavailable> => {
  const { body } = response
  if (body === null) return Stream.empty
  const broken = (detail: string) => new ObjectsUnavailable({ operation, key, detail })
  return Stream.fromReadableStream<Uint8Array, ObjectsUnavailable>({
    evaluate: () => body,
    onError: (cause) => broken(reason(cause))
  }).pipe(Stream.timeoutOrElse({ duration: CHUNK_TIMEOUT, orElse: () => Stream.fail(broken(`no byte in ${CHUNK_TIMEOUT}`)) }))
}

/** The text of an answer that is no object, whole or not at all. */
export const textOf = (
  operation: string,
  key: string,
  response: Response,
  bytes_max: number
): Effect.Effect<string, ObjectsUnavailable> => {
  const broken = (detail: string) => Effect.fail(new ObjectsUnavailable({ operation, key, detail }))
  return Effect.flatMap(collect(bodyOf(operation, key, response), bytes_max), (bytes) =>
    bytes === "too_large" ? broken("its answer is too long") : Effect.succeed(new TextDecoder().decode(bytes))
  ).pipe(Effect.timeoutOrElse({ duration: TEXT_TIMEOUT, orElse: () => broken(`no end of its answer in ${TEXT_TIMEOUT}`) }))
}

export const lengthOf = (response: Response): number => Number(response.headers.get("content-length") ?? 0)

/** The answer to a GET, or none where the key is missing. */
export const openObject = Effect.fnUntraced(function* ({ send }: S3Requests, operation: string, key: string) {
  const response = yield* send({ operation, method: "GET", key, answers: [404] })
  if (response.status !== 404) return Option.some(response)
  yield* discard(response)
  return Option.none()
})

export const removeObject = ({ send }: S3Requests, key: string): Effect.Effect<void, ObjectsUnavailable> =>
  Effect.flatMap(send({ operation: "remove", method: "DELETE", key, answers: [404] }), discard)
