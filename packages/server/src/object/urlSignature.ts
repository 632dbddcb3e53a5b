/**
 * URLs of the local store: `/objects/<key>?expires=<unix seconds>&...&signature=<hex>`. The signature is an HMAC over
 * the method, the key and every parameter the handler acts on, each on a line of its own (none can hold a line break),
 * so that no part can be changed, moved or left out.
 */
import { timingSafeEqual } from "node:crypto"
import type { Mac } from "./hmacSha256.ts"
import { isObjectKey } from "./objectKey.ts"

export const OBJECTS_PATH = "/objects/"

export type Grant =
  | { readonly method: "GET"; readonly key: string; readonly expires: number }
  | {
      readonly method: "PUT"
      readonly key: string
      readonly expires: number
      readonly sha256: string | null
      readonly max_bytes: number
    }

export type Refusal = "unsigned" | "forged" | "expired"

const sign = (mac: Mac, grant: Grant): string => {
  const bound = grant.method === "PUT" ? `\n${grant.sha256 ?? ""}\n${grant.max_bytes}` : ""
  return mac(`agon-object/1\n${grant.method}\n${grant.key}\n${grant.expires}${bound}`)
}

/** No part of it needs escaping: digits, and a key of unreserved characters and slashes. */
export const signedUrl = (mac: Mac, origin: string, grant: Grant): string => {
  const size = grant.method === "PUT" ? `&max_bytes=${grant.max_bytes}` : ""
  const content = grant.method === "PUT" && grant.sha256 !== null ? `&sha256=${grant.sha256}` : ""
  return `${origin}${OBJECTS_PATH}${grant.key}?expires=${grant.expires}${size}${content}&signature=${sign(mac, grant)}`
}

const wholeNumber = (text: string | null): number | undefined => (text !== null && /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined)

/** `url` is a request's path and query as sent. HEAD passes with the signature of GET. */
export const readGrant = (mac: Mac, method: "GET" | "PUT", url: string, now_s: number): Grant | Refusal => {
  const mark = url.indexOf("?")
  if (mark < 0 || !url.startsWith(OBJECTS_PATH)) return "unsigned"
  const key = url.slice(OBJECTS_PATH.length, mark)
  const query = new URLSearchParams(url.slice(mark + 1))
  const expires = wholeNumber(query.get("expires"))
  const max_bytes = wholeNumber(query.get("max_bytes"))
  const signature = query.get("signature")
  if (expires === undefined || signature === null) return "unsigned"
  if (!isObjectKey(key) || !/^[0-9a-f]{64}$/.test(signature)) return "forged"
  if (method === "PUT" && max_bytes === undefined) return "forged"
  const grant: Grant =
    method === "PUT" ? { method, key, expires, sha256: query.get("sha256"), max_bytes: max_bytes ?? 0 } : { method, key, expires }
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(sign(mac, grant)))) return "forged"
  return now_s >= expires ? "expired" : grant
}
