/** Fetches a replay from this origin, and no more of it than a replay may have; every failure is a sentence. */

/** docs/contract.md#other-limits */
const BYTES_MAX = 4 * 1024 * 1024
const WAIT_MS = 30_000
/** A busy service says when to come back. */
const TRIES = 3
const PAUSE_MAX_S = 5

export type Fetched = { readonly ok: true; readonly json: unknown } | { readonly ok: false; readonly sentence: string }

const refused = (sentence: string): Fetched => ({ ok: false, sentence })

const SENTENCES: Readonly<Record<number, string>> = {
  404: "There is no replay of this match.",
  429: "Your address has asked for a lot within a short time. Load the page again in a few seconds.",
  502: "The replay is larger than 4 MiB, so it is not read.",
  503: "The replay cannot be reached just now. Load the page again in a few seconds."
}

const answered = async (url: URL, signal: AbortSignal): Promise<Response> => {
  for (let tries = 1; ; tries++) {
    const answer = await fetch(url, { signal, credentials: "same-origin", redirect: "error" })
    if ((answer.status !== 429 && answer.status !== 503) || tries === TRIES) return answer
    await answer.body?.cancel()
    await new Promise((resume) => setTimeout(resume, 1_000 * Math.min(PAUSE_MAX_S, Number(answer.headers.get("retry-after")) || 1)))
  }
}

export const fetchReplay = async (address: string, left: AbortSignal): Promise<Fetched> => {
  const url = URL.parse(address, location.href)
  if (url === null || url.origin !== location.origin) return refused("The replay is not on this site, so it is not fetched.")
  const late = AbortSignal.timeout(WAIT_MS)
  try {
    const answer = await answered(url, AbortSignal.any([left, late]))
    if (!answer.ok) return refused(SENTENCES[answer.status] ?? `The replay could not be fetched (${answer.status}).`)
    const text = await readText(answer)
    return text === undefined ? refused("The replay is larger than 4 MiB, so it is not read.") : { ok: true, json: JSON.parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      return refused(error instanceof SyntaxError ? "The replay is not JSON." : "The replay could not be fetched.")
    return refused(late.aborted ? `The replay did not come within ${WAIT_MS / 1_000} seconds.` : "The replay could not be read.")
  }
}

/** Undefined where there are too many bytes; the rest is then not fetched. */
const readText = async (answer: Response): Promise<string | undefined> => {
  const reader = answer.body?.getReader()
  if (reader === undefined) return ""
  const decoder = new TextDecoder()
  let [text, bytes] = ["", 0]
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > BYTES_MAX) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
