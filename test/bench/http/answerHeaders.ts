/** The headers that the service sends with a shared answer, so that every compared server sends as many bytes. */
import { cacheControl } from "@agon/server/http/cache/Entry.ts"
import { SECURITY_HEADERS } from "@agon/server/http/securityHeaders.ts"

export const answerHeaders: Readonly<Record<string, string>> = {
  "Content-Type": "application/json",
  "Cache-Control": cacheControl,
  ETag: `"${"x".repeat(22)}"`,
  "X-Request-Id": "abcdefghijkl-1234",
  Vary: "Accept-Encoding",
  ...Object.fromEntries(SECURITY_HEADERS)
}

/** Flat, name and value in turn, with the length of the body: node writes these fastest. */
export const flatAnswerHeaders = (body: Buffer): Array<string> => [
  ...Object.entries(answerHeaders).flat(),
  "Content-Length",
  String(body.length)
]
