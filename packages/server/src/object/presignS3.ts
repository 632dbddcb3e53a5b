/**
 * Presigned S3 URLs (AWS Signature Version 4 in the query). Our own and not aws4fetch's, because every lease carries
 * several: aws4fetch goes through WebCrypto and takes 140 to 230 us of CPU a URL, this 28. The test
 * holds it to aws4fetch's signatures.
 */
import { createHash, createHmac } from "node:crypto"

export interface S3Signer {
  /** The bucket's URL, without a slash at its end. */
  readonly base: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface PresignRequest {
  readonly method: "GET" | "PUT"
  /** Of unreserved characters and slashes (objectKey.ts), so it stands in the URL as it is. */
  readonly key: string
  /** Names in lower case; the client has to send exactly these. */
  readonly headers: Readonly<Record<string, string>>
  readonly expires_s: number
  /** `YYYYMMDDTHHMMSSZ` */
  readonly datetime: string
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest()

/** Everything but letters, digits and `-._~`, which is more than encodeURIComponent escapes. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

export const presignS3 = (signer: S3Signer) => {
  const { host, pathname } = new URL(signer.base)
  const path = encode(decodeURIComponent(pathname)).replaceAll("%2F", "/")
  let signing: { readonly date: string; readonly key: Buffer } = { date: "", key: Buffer.alloc(0) }

  /** The same for a day. */
  const signingKey = (date: string): Buffer => {
    if (signing.date !== date) {
      const parts = [date, signer.region, "s3", "aws4_request"]
      signing = { date, key: parts.reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${signer.secretAccessKey}`)) }
    }
    return signing.key
  }

  return ({ method, key, headers, expires_s, datetime }: PresignRequest): string => {
    const date = datetime.slice(0, 8)
    const scope = `${date}/${signer.region}/s3/aws4_request`
    const signed: Readonly<Record<string, string>> = { ...headers, host }
    const names = Object.keys(signed).sort()
    const query = [
      "X-Amz-Algorithm=AWS4-HMAC-SHA256",
      `X-Amz-Credential=${encode(`${signer.accessKeyId}/${scope}`)}`,
      `X-Amz-Date=${datetime}`,
      `X-Amz-Expires=${expires_s}`,
      `X-Amz-SignedHeaders=${encode(names.join(";"))}`
    ].join("&")
    const lines = names.map((name) => `${name}:${signed[name]}\n`).join("")
    const canonical = [method, `${path}/${key}`, query, lines, names.join(";"), "UNSIGNED-PAYLOAD"].join("\n")
    const digest = createHash("sha256").update(canonical).digest("hex")
    const signature = hmac(signingKey(date), ["AWS4-HMAC-SHA256", datetime, scope, digest].join("\n")).toString("hex")
    return `${signer.base}/${key}?${query}&X-Amz-Signature=${signature}`
  }
}
