/**
 * Certificates for 127.0.0.1, made by openssl when a test asks: an authority, a node that it has signed,
 * and a stranger that it has not.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const missingOpenssl = (): string | undefined =>
  spawnSync("openssl", ["version"]).status === 0 ? undefined : "no openssl installed (see scripts/apt-packages.txt)"

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

export interface Pair {
  readonly cert: string
  readonly key: string
}

export interface Certificates {
  readonly directory: string
  /** Paths; `ca` is the authority's certificate. */
  readonly ca: string
  readonly node: Pair
  readonly stranger: Pair
  readonly remove: () => void
}

export const read = ({ cert, key }: Pair) => ({ cert: readFileSync(cert), key: readFileSync(key) })

export const make = (): Certificates => {
  const directory = mkdtempSync(join(tmpdir(), "agon-certificates-"))
  const at = (name: string) => join(directory, name)
  const pairOf = (name: string): Pair => ({ cert: at(`${name}.crt`), key: at(`${name}.key`) })
  const openssl = (...args: ReadonlyArray<string>) => execFileSync("openssl", args, { stdio: "pipe" })
  const authority = (name: string) => {
    const { cert, key } = pairOf(name)
    openssl("req", "-x509", ...KEY, "-days", "2", "-subj", `/CN=${name}`, "-keyout", key, "-out", cert)
  }
  const signed = (name: string, by: string) => {
    const { cert, key } = pairOf(name)
    const request = at(`${name}.csr`)
    openssl("req", ...KEY, "-subj", `/CN=${name}`, "-keyout", key, "-out", request)
    writeFileSync(at("names"), "subjectAltName=IP:127.0.0.1\n")
    const signer = ["-CA", pairOf(by).cert, "-CAkey", pairOf(by).key, "-CAcreateserial"]
    openssl("x509", "-req", "-in", request, ...signer, "-days", "2", "-extfile", at("names"), "-out", cert)
  }
  for (const name of ["authority", "elsewhere"]) authority(name)
  signed("node", "authority")
  signed("stranger", "elsewhere")
  const remove = () => rmSync(directory, { recursive: true, force: true })
  return { directory, ca: pairOf("authority").cert, node: pairOf("node"), stranger: pairOf("stranger"), remove }
}
