/** An answer to one request, or why there is none: a code such as ECONNREFUSED. */
const ANSWER_TIMEOUT_MS = 5_000

export type Fetched = { readonly status: number; readonly text: string } | { readonly code: string }

export const fetched = async (url: string, method: "GET" | "HEAD" = "GET"): Promise<Fetched> => {
  try {
    const response = await fetch(url, { method, redirect: "manual", signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    const cause = (error as Error).cause ?? error
    const { code, name } = cause as NodeJS.ErrnoException
    return { code: typeof code === "string" ? code : name }
  }
}

/** The object of an answer of 200 with JSON. */
export const jsonOf = (answer: Fetched): Readonly<Record<string, unknown>> | undefined => {
  if ("code" in answer || answer.status !== 200) return undefined
  try {
    const value: unknown = JSON.parse(answer.text)
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
