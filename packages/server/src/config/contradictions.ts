/**
 * Combinations of valid variables that refuse the start, most of them because the
 * service would be open to everybody.
 */

import { DEFAULT_HOST, DEVELOPMENT, type Values, variables } from "./environment.ts"
import { isLoopbackHost, publicOrigin } from "./publicOrigin.ts"
import { missing, type Variable } from "./variables.ts"

export const contradictions = (values: Values): ReadonlyArray<string> => [
  ...signInRefusals(values),
  ...originRefusals(values),
  ...nodeRefusals(values),
  ...adminRefusals(values),
  ...together("mail is to be sent", [], { url: [values.smtp_url, variables.smtp_url], from: [values.mail_from, variables.mail_from] }),
  ...together("other S3 variables are", [values.s3_region], {
    s3_endpoint: [values.s3_endpoint, variables.s3_endpoint],
    s3_bucket: [values.s3_bucket, variables.s3_bucket],
    s3_access_key_id: [values.s3_access_key_id, variables.s3_access_key_id],
    s3_secret_access_key: [values.s3_secret_access_key, variables.s3_secret_access_key]
  })
]

/**
 * The development sign-in lets anybody sign in as anyone, so it is allowed only where the service is
 * reachable from this machine alone (docs/operating.md#development-sign-in).
 */
const signInRefusals = (values: Values): ReadonlyArray<string> => {
  const { dev_sign_in, host = DEFAULT_HOST, providers, public_origin, trusted_proxies } = values
  if (providers !== undefined) {
    return dev_sign_in === true
      ? [`${variables.dev_sign_in.name}: held "1"; it takes 1 only where ${variables.providers.name} is not set`]
      : []
  }
  const beside = values.database_url !== undefined ? "DATABASE_URL" : values.s3_endpoint !== undefined ? "S3_ENDPOINT" : undefined
  const reasons = [
    ...(dev_sign_in === false ? ["AGON_DEV_SIGNIN=0 turns the development sign-in off"] : []),
    ...(isLoopbackHost(host) ? [] : [`the development sign-in does not start on HOST ${host}, which is not loopback`]),
    ...(public_origin === undefined || publicOrigin(public_origin).loopback
      ? []
      : [`the development sign-in does not start behind PUBLIC_ORIGIN ${public_origin}`]),
    ...(trusted_proxies === undefined ? [] : ["the development sign-in does not start behind TRUSTED_PROXIES"]),
    ...(beside === undefined || dev_sign_in !== undefined
      ? []
      : [`the development sign-in, where anybody is whoever they say, starts beside ${beside} only with AGON_DEV_SIGNIN=1`])
  ]
  return reasons.map((reason) => missing(variables.providers, `, and ${reason}`))
}

/** Cookies are sent over TLS alone, and a sign-in leads back to this origin. */
const originRefusals = ({ host = DEFAULT_HOST, public_origin }: Values): ReadonlyArray<string> => {
  if (public_origin === undefined) {
    return isLoopbackHost(host) ? [] : [missing(variables.public_origin, `, though HOST ${host} is reached from other machines`)]
  }
  const { loopback, origin } = publicOrigin(public_origin)
  return loopback || origin.startsWith("https:")
    ? []
    : [`${variables.public_origin.name}: held ${JSON.stringify(public_origin)}; it takes https where it is not this machine's own`]
}

const nodeRefusals = (values: Values): ReadonlyArray<string> => {
  const tls = {
    cert: [values.node_cert, variables.node_cert],
    key: [values.node_key, variables.node_key],
    ca: [values.node_ca, variables.node_ca]
  } as const
  const half = together("other AGON_NODE_ variables are", [], tls)
  const isTls = Object.values(tls).some(([value]) => value !== undefined)
  return [
    ...(values.node !== undefined && values.database_url === undefined
      ? [missing(variables.database_url, ", and nodes (AGON_NODE) share one database")]
      : []),
    ...(isTls && values.node === undefined ? [missing(variables.node, ", though certificates of nodes are")] : []),
    ...half
  ]
}

const adminRefusals = ({ admin, providers }: Values): ReadonlyArray<string> => {
  const slugs = providers?.map(({ slug }) => slug) ?? [DEVELOPMENT]
  return admin === undefined || slugs.includes(admin.split(":")[0]!)
    ? []
    : [`${variables.admin.name}: held ${JSON.stringify(admin)}; it takes ${variables.admin.takes} (${slugs.join(", ")})`]
}

/** Refuses variables of which some are set and some are not. */
const together = (
  why: string,
  optional: ReadonlyArray<unknown>,
  all: Readonly<Record<string, readonly [unknown, Variable<any>]>>
): ReadonlyArray<string> => {
  const pairs = Object.values(all)
  if ([...optional, ...pairs.map(([value]) => value)].every((value) => value === undefined)) return []
  return pairs.flatMap(([value, variable]) => (value === undefined ? [missing(variable, `, though ${why}`)] : []))
}
