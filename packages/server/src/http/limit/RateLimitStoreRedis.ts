/**
 * Buckets in Redis, for the nodes that share it: one key a bucket, which expires when the bucket is full. A take is one
 * script, so it is atomic and one round trip, and it reads Redis's clock, so that nodes whose clocks differ agree.
 *
 * The client is the one that Effect's own Redis layer uses, without that layer, which fails where Redis is down at the
 * start and logs every attempt to reconnect. It is loaded only where a Redis is configured.
 */
import { Effect, Layer, Redacted } from "effect"
import { BucketsAway, makeFailover, type SharedBuckets } from "./RateLimitFailover.ts"
import { RateLimitStore, step_us } from "./RateLimitStore.ts"

export interface RedisOptions {
  /** `redis://user:password@host:port/database`, or `rediss:` for TLS. */
  readonly url: Redacted.Redacted
  /** After how long a take is decided by this node: 500 ms, well over a round trip and a pause of either process. */
  readonly answer_ms?: number
}

/** One store for all nodes, and each node's own while Redis does not answer. */
export const layer = ({ answer_ms = 500, url }: RedisOptions) =>
  Layer.effect(
    RateLimitStore,
    Effect.flatMap(connect(url), (shared) => makeFailover(shared, answer_ms))
  )

/** A start waits for Redis no longer than this, nor any attempt to connect. */
const CONNECT_MS = 1000

/** A connection that is silent for longer is replaced; pings keep a working one active. */
const SILENCE_MS = 5000
const PING_MS = 2000

/** Takes under way at once; beyond it this node decides by its own buckets. */
const UNDER_WAY_MAX = 10_000

/** The bucket KEYS[1] of steps of ARGV[1] us and a burst of ARGV[2]; see RateLimitStore.ts. Numbers stay under 2^53. */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local step, room = tonumber(ARGV[1]), ARGV[1] * ARGV[2]
local kept = tonumber(redis.call('GET', KEYS[1]) or '0')
local full_at = math.min(math.max(kept, now), now + room)
local wait = full_at + step - now - room
if wait <= 0 then full_at = full_at + step end
if wait <= 0 or kept > full_at then
  redis.call('SET', KEYS[1], string.format('%.0f', full_at), 'PX', math.ceil((full_at - now) / 1000))
end
return math.max(0, math.ceil(wait / 1000))`

const makeClient = ({ createClient, defineScript }: typeof import("@redis/client"), url: string) =>
  createClient({
    url,
    name: "agon",
    RESP: 2,
    disableOfflineQueue: true,
    commandsQueueMaxLength: UNDER_WAY_MAX,
    pingInterval: PING_MS,
    socket: {
      connectTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 1000) // for ever
    },
    scripts: {
      take: defineScript({
        SCRIPT,
        NUMBER_OF_KEYS: 1,
        parseCommand: (parser, key: string, step: number, burst: number) => {
          parser.pushKey(key)
          parser.push(String(step), String(burst))
        },
        transformReply: (wait_ms: unknown) => Number(wait_ms)
      })
    }
  })

const connect = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const library = yield* Effect.promise(() => import("@redis/client"))
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => makeClient(library, Redacted.value(url))),
    (client) => Effect.sync(() => client.isOpen && client.destroy())
  )
  let trouble: unknown // why there is no connection
  client.on("error", (error) => (trouble = error))
  client.on("ready", () => (trouble = undefined))
  const tried = new Promise<void>((done) => void client.once("ready", done).once("error", () => done()))
  client.connect().catch(() => {}) // rejects only when the client is released
  yield* Effect.timeoutOption(
    Effect.promise(() => tried),
    CONNECT_MS
  )
  const take: SharedBuckets["take"] = (bucket, limit) =>
    Effect.tryPromise({
      try: () => client.take(`agon:rate:${bucket}`, step_us(limit), limit.burst),
      catch: (cause) => new BucketsAway({ detail: reasonOf(trouble ?? cause) })
    })
  return { take }
})

/** When all of several addresses refuse, the error has no message of its own. */
const reasonOf = (cause: unknown) => {
  const { code, message } = cause as { readonly code?: string; readonly message?: string }
  return code ?? message ?? String(cause)
}
