/** The certificate of this node: it can be used, is its host's and the authority's, its key is private, and it is valid for long enough. */
import { X509Certificate } from "node:crypto"
import { statSync } from "node:fs"
import { isIP } from "node:net"
import { Clock, Effect } from "effect"
import { loadNodeTls } from "../config/nodeTls.ts"
import type { SettingsShape } from "../config/Settings.ts"
import { refuse } from "../config/StartRefused.ts"
import { DAY_MS } from "../day.ts"
import { about, type Finding, refusedIsBroken } from "./Finding.ts"

/** A certificate is renewed before it has fewer days than this. */
const RENEW_DAYS = 14

/** A node reads its certificate at its start alone, so it may show another one than the doctor reads. */
const RENEW = "renew it, and restart the node, which shows the old one until then"

const says = about("certificates")

export const certificates = ({ node, node_tls }: Pick<SettingsShape, "node" | "node_tls">): Effect.Effect<ReadonlyArray<Finding>> => {
  if (node_tls === undefined || node === undefined) return Effect.succeed([])
  return Effect.gen(function* () {
    const { ca, cert } = yield* loadNodeTls(node_tls)
    const [own, ...chain] = yield* certificatesIn("AGON_NODE_CERT", node_tls.cert, cert)
    const authorities = yield* certificatesIn("AGON_NODE_CA", node_tls.ca, ca)
    const isOpen = (statSync(node_tls.key).mode & 0o077) !== 0
    const open = isOpen ? [says.mend(`AGON_NODE_KEY: ${node_tls.key} can be read by other users; give it mode 0600`)] : []
    const now = yield* Clock.currentTimeMillis
    return [validity(own!, now), ...whose(own!, node.host, [...chain, ...authorities]), ...open]
  }).pipe(refusedIsBroken("certificates"))
}

const BLOCK = /-----BEGIN [A-Z ]*CERTIFICATE-----[^-]+-----END [A-Z ]*CERTIFICATE-----/g

const certificatesIn = (variable: string, path: string, pem: Buffer) =>
  Effect.try({
    try: () => (pem.toString("latin1").match(BLOCK) ?? [""]).map((block) => new X509Certificate(block)),
    catch: () => refuse(`${variable}: held ${path}, which is no certificate`)
  })

const validity = ({ validFrom, validTo }: X509Certificate, now_ms: number): Finding => {
  const days = Math.floor((Date.parse(validTo) - now_ms) / DAY_MS)
  if (now_ms < Date.parse(validFrom)) return says.broken(`AGON_NODE_CERT: valid only from ${validFrom}; set the clock or renew it`)
  if (days < 0) return says.broken(`AGON_NODE_CERT: it ended on ${validTo}; ${RENEW}`)
  if (days < RENEW_DAYS) return says.mend(`AGON_NODE_CERT: it ends in ${days} days; ${RENEW}`)
  return says.fine(`the certificate between nodes is valid for ${days} days`)
}

/** The other nodes speak to this one only if they believe that it is its host's. */
const whose = (own: X509Certificate, host: string, issuers: ReadonlyArray<X509Certificate>): ReadonlyArray<Finding> => {
  const named = isIP(host) === 0 ? own.checkHost(host) : own.checkIP(host)
  const signed = issuers.some((issuer) => own.checkIssued(issuer) && own.verify(issuer.publicKey))
  return [
    ...(named === undefined
      ? [says.broken(`AGON_NODE_CERT: it is not for ${host}, the host of AGON_NODE, so no node speaks to this one; take its own`)]
      : []),
    ...(signed ? [] : [says.broken("AGON_NODE_CERT: the authority in AGON_NODE_CA has not signed it, so no node speaks to this one")])
  ]
}
