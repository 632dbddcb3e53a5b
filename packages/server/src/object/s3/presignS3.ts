/**
 * Presigned S3 URLs (AWS Signature Version 4 in the query). Our own and not aws4fetch's, because every lease carries
 * several: aws4fetch goes through WebCrypto and takes 140 to 230 us of CPU a URL, this takes 2. The
 * test compares its signatures with aws4fetch's.
 */
import { hash } from "node:crypto"
import { hmacSha256, type Mac } from "../hmacSha256.ts"

interface S3Signer {
  /** The bucket's URL, without a slash at its end. */
  readonly base: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

interface PresignRequest {
  readonly method: "GET" | "PUT"
  /** Unreserved characters and slashes only (objectKey.ts), so it needs no escaping. */
  readonly key: string
  /** Names in lower case; the client has to send exactly these. */
  readonly headers: Readonly<Record<string, string>>
  readonly expires_s: number
  /** `YYYYMMDDTHHMMSSZ` */
  readonly datetime: string
}

/** Escapes everything but letters, digits and `-._~`, which is more than encodeURIComponent does. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** The parts that all URLs of a day share. */
interface Day {
  readonly date: string
  readonly scope: string
  /** The first parameters of the query. */
  readonly credential: string
  /** Signs with the day's key. */
  readonly mac: Mac
}

const dayOf = ({ accessKeyId, region, secretAccessKey }: S3Signer, date: string): Day => {
  const parts = [date, region, "s3", "aws4_request"]
  const key = parts.reduce<string | Buffer>((key, part) => Buffer.from(hmacSha256(key)(part), "hex"), `AWS4${secretAccessKey}`)
  const scope = parts.join("/")
  const credential = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encode(`${accessKeyId}/${scope}`)}`
  return { date, scope, credential, mac: hmacSha256(key) }
}

export const presignS3 = (signer: S3Signer) => {
  const { host, pathname } = new URL(signer.base)
  const path = encode(decodeURIComponent(pathname)).replaceAll("%2F", "/")
  let day: Day | undefined

  return ({ method, key, headers, expires_s, datetime }: PresignRequest): string => {
    const date = datetime.slice(0, 8)
    if (day?.date !== date) day = dayOf(signer, date)
    const { credential, mac, scope } = day
    const signed: Readonly<Record<string, string>> = { ...headers, host }
    const names = Object.keys(signed).sort()
    const query = `${credential}&X-Amz-Date=${datetime}&X-Amz-Expires=${expires_s}&X-Amz-SignedHeaders=${names.join("%3B")}`
    const lines = names.map((name) => `${name}:${signed[name]}\n`).join("")
    const canonical = `${method}\n${path}/${key}\n${query}\n${lines}\n${names.join(";")}\nUNSIGNED-PAYLOAD`
    const signature = mac(`AWS4-HMAC-SHA256\n${datetime}\n${scope}\n${hash("sha256", canonical, "hex")}`)
    return `${signer.base}/${key}?${query}&X-Amz-Signature=${signature}`
  }
}
