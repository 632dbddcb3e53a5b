/**
 * A page of a bucket's listing (ListObjectsV2). Keys are of unreserved characters, so nothing
 * in its XML has to be decoded.
 */
import { Effect } from "effect"
import { isObjectKey } from "../objectKey.ts"
import { type S3Requests, textOf } from "./s3Requests.ts"

/** No server answers with more. */
const KEYS_MAX = 1_000
/** A key has at most 1,024 bytes, and its entry some hundred more. */
const LIST_BYTES_MAX = 4 * 1024 * 1024

export const s3List =
  ({ send }: S3Requests) =>
  ({ after, limit, prefix }: { readonly prefix: string; readonly after?: string | undefined; readonly limit: number }) =>
    Effect.gen(function* () {
      const from: Record<string, string> = after === undefined ? {} : { "start-after": after }
      const query = { "list-type": "2", "max-keys": String(Math.min(limit, KEYS_MAX)), prefix, ...from }
      const response = yield* send({ operation: "list", method: "GET", key: "", query })
      const xml = yield* textOf("list", prefix, response, LIST_BYTES_MAX)
      return [...xml.matchAll(/<Contents>.*?<\/Contents>/gs)].flatMap(([entry]) => {
        const key = /<Key>([^<]*)<\/Key>/.exec(entry)?.[1] ?? ""
        const modified_at = Date.parse(/<LastModified>([^<]*)<\/LastModified>/.exec(entry)?.[1] ?? "")
        return isObjectKey(key) && !Number.isNaN(modified_at) ? [{ key, modified_at }] : []
      })
    })
