/** URLs of the service's own routes under `/objects/`, signed with one secret. */
import { Clock, DateTime, Effect, Redacted } from "effect"
import { hmacSha256 } from "./hmacSha256.ts"
import type { Upload, UploadRequest } from "./ObjectStore.ts"
import { assertObjectKey } from "./objectKey.ts"
import { type Grant, type Refusal, readGrant, signedUrl } from "./urlSignature.ts"

export interface SignedUrlsOptions {
  /** A new one makes every URL given out before invalid. */
  readonly secret: Redacted.Redacted
  /** `http://host:port` without a path, as competitors, readers and runners reach the service. */
  readonly publicOrigin: string
  /** The clock of all who sign and read with this secret, ms; the host's where none is named. */
  readonly now_ms?: Effect.Effect<number>
}

export interface SignedUrls {
  readonly get: (request: { readonly key: string; readonly expires_s: number }) => Effect.Effect<string>
  readonly put: (request: UploadRequest, now_ms: number) => Upload
  readonly now_ms: Effect.Effect<number>
  /** `url` is a request's path and query as sent. */
  readonly read: (method: "GET" | "PUT", url: string) => Effect.Effect<Grant | Refusal>
}

export const makeSignedUrls = ({ now_ms = Clock.currentTimeMillis, publicOrigin, secret }: SignedUrlsOptions): SignedUrls => {
  const mac = hmacSha256(Redacted.value(secret))
  const now_s = Effect.map(now_ms, (ms) => Math.floor(ms / 1000))
  return {
    now_ms,
    get: ({ key, expires_s }) =>
      Effect.map(now_s, (now) => signedUrl(mac, publicOrigin, { method: "GET", key: assertObjectKey(key), expires: now + expires_s })),
    put: ({ expires_s, key, max_bytes, sha256 }, now_ms) => {
      const expires = Math.floor(now_ms / 1000) + expires_s
      const url = signedUrl(mac, publicOrigin, { method: "PUT", key: assertObjectKey(key), expires, sha256, max_bytes })
      return { method: "PUT", url, headers: {}, max_bytes, expires_at: DateTime.makeUnsafe(expires * 1000) }
    },
    read: (method, url) => Effect.map(now_s, (now) => readGrant(mac, method, url, now))
  }
}
