/**
 * URLs of the local store: `/objects/<key>?expires=<unix seconds>&...&signature=<hex>`. The signature is an HMAC over
 * the method, the key and every parameter the handler acts on, each on a line of its own (none can hold a line break),
 * so that nothing can be changed, moved or left out.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
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

const sign = (secret: string, grant: Grant): Buffer => {
  const bound = grant.method === "PUT" ? [grant.sha256 ?? "", String(grant.max_bytes)] : []
  const text = ["agon-object/1", grant.method, grant.key, String(grant.expires), ...bound].join("\n")
  return createHmac("sha256", secret).update(text).digest()
}

export const signedUrl = (secret: string, origin: string, grant: Grant): string => {
  const query = new URLSearchParams({ expires: String(grant.expires) })
  if (grant.method === "PUT") {
    query.set("max_bytes", String(grant.max_bytes))
    if (grant.sha256 !== null) query.set("sha256", grant.sha256)
  }
  query.set("signature", sign(secret, grant).toString("hex"))
  return `${origin}${OBJECTS_PATH}${grant.key}?${query}`
}

const wholeNumber = (text: string | null): number | undefined => (text !== null && /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined)

/** `url` is a request's path and query as sent. HEAD passes with the signature of GET. */
export const readGrant = (secret: string, method: "GET" | "PUT", url: string, now_s: number): Grant | Refusal => {
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
  if (!timingSafeEqual(Buffer.from(signature, "hex"), sign(secret, grant))) return "forged"
  return now_s >= expires ? "expired" : grant
}
