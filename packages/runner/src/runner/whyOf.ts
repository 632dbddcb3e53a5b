/** The fault of a connection, for the operator: the certificate, the name, the port, or a line that broke. */

/** As the error says it, and its cause behind it: a transport error alone says only that it is one. */
export const whyOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  const because = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : undefined
  return because ? `${String(error)}: ${because}` : String(error)
}
