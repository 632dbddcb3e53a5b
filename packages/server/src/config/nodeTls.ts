/**
 * Mutual TLS between nodes. Both sides present a certificate signed by the authority of AGON_NODE_CA, so a
 * machine without one fails the handshake. A node's certificate names the host of its AGON_NODE. The files
 * are read once, at the start.
 */

import { readFileSync } from "node:fs"
import { createSecureContext } from "node:tls"
import { Effect } from "effect"
import { refuse } from "./StartRefused.ts"

/** Paths of PEM files. */
export interface NodeTlsFiles {
  readonly cert: string
  readonly key: string
  readonly ca: string
}

export interface NodeTls {
  readonly cert: Buffer
  readonly key: Buffer
  readonly ca: Buffer
}

/** The files' contents, or one line that names the variable whose file cannot be used. */
export const loadNodeTls = Effect.fnUntraced(function* (files: NodeTlsFiles) {
  const cert = yield* readPem("AGON_NODE_CERT", files.cert, "CERTIFICATE")
  const key = yield* readPem("AGON_NODE_KEY", files.key, "PRIVATE KEY")
  const ca = yield* readPem("AGON_NODE_CA", files.ca, "CERTIFICATE")
  yield* Effect.try({
    try: () => createSecureContext({ cert, key, ca }),
    catch: () => refuse(`AGON_NODE_KEY: held ${JSON.stringify(files.key)}; it takes the key of the certificate in AGON_NODE_CERT, in PEM`)
  })
  return { cert, key, ca } satisfies NodeTls
})

const readPem = (variable: string, path: string, kind: string) =>
  Effect.try({
    try: () => {
      const pem = readFileSync(path)
      if (!new RegExp(`-----BEGIN [A-Z ]*${kind}-----`).test(pem.toString("latin1"))) throw new Error(`no ${kind} in it`)
      return pem
    },
    catch: (error) =>
      refuse(`${variable}: held ${JSON.stringify(path)} (${(error as Error).message}); it takes a PEM file that can be read`)
  })
