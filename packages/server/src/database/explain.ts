/** The message of the server or the socket, without the statement around it. */
export const explain = (error: unknown): string => {
  const { reason, cause, message } = error as { reason?: { message?: string; cause?: unknown }; cause?: unknown; message?: string }
  const inner = reason?.cause ?? cause
  return inner instanceof Error && inner.message !== "" ? explain(inner) : (reason?.message ?? message ?? String(error))
}
