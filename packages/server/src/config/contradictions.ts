/**
 * Combinations of valid variables that refuse the start, most of them because the
 * service would be open to everybody.
 */

import { DEFAULT_HOST, DEVELOPMENT, type Values, variables } from "./environment.ts"
import { isLoopbackHost, publicOrigin } from "./publicOrigin.ts"
import { missing } from "./variables.ts"

export const contradictions = (values: Values): ReadonlyArray<string> => [
  ...signInRefusals(values),
  ...originRefusals(values),
  ...nodeRefusals(values),
  ...adminRefusals(values),
  ...together(values, "mail is to be sent", ["smtp_url", "mail_from"]),
  ...together(values, "other S3 variables are", ["s3_endpoint", "s3_bucket", "s3_access_key_id", "s3_secret_access_key"], "s3_region")
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

const NODE_TLS = ["node_cert", "node_key", "node_ca"] as const

const nodeRefusals = (values: Values): ReadonlyArray<string> => {
  const isTls = NODE_TLS.some((name) => values[name] !== undefined)
  return [
    ...(values.node !== undefined && values.database_url === undefined
      ? [missing(variables.database_url, ", and nodes (AGON_NODE) share one database")]
      : []),
    ...(isTls && values.node === undefined ? [missing(variables.node, ", though certificates of nodes are")] : []),
    ...together(values, "other AGON_NODE_ variables are", NODE_TLS)
  ]
}

const adminRefusals = ({ admin, providers }: Values): ReadonlyArray<string> => {
  const slugs = providers?.map(({ slug }) => slug) ?? [DEVELOPMENT]
  return admin === undefined || slugs.includes(admin.split(":")[0]!)
    ? []
    : [`${variables.admin.name}: held ${JSON.stringify(admin)}; it takes ${variables.admin.takes} (${slugs.join(", ")})`]
}

/** Refuses variables of which some are set and some are not; `optional` is one that need not be set with them. */
const together = (
  values: Values,
  why: string,
  names: ReadonlyArray<keyof Values>,
  ...optional: ReadonlyArray<keyof Values>
): ReadonlyArray<string> => {
  if ([...names, ...optional].every((name) => values[name] === undefined)) return []
  return names.flatMap((name) => (values[name] === undefined ? [missing(variables[name], `, though ${why}`)] : []))
}
