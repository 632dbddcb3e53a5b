/** The calls of the API that a submission makes, and the uploads. Every failure is a sentence. */
import { isOfService } from "../../src/html/elsewhere.ts"

interface Upload {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly max_bytes: number
}

export interface Submitted {
  readonly version_id: string
  readonly upload: { readonly weights: Upload; readonly manifest: Upload }
}

export interface Target {
  readonly game: string
  readonly season: string
  readonly model: string
}

export interface Failed {
  readonly ok: false
  readonly sentence: string
  /** Whether there is no session any more. */
  readonly signedOut?: boolean
}

export type Answer<A> = { readonly ok: true; readonly value: A } | Failed

interface Taken<A> {
  readonly ok: true
  readonly value: A
  readonly status: number
}

const WAIT_MS = 30_000
const TRIES = 4
const SIGNED_OUT = "You are signed out. Sign in in another window, then submit again: the files stay chosen."
const AWAY = "The service does not answer. Files that were sent already stay: submit the same files again to go on."

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const failed = (sentence: string) => ({ ok: false, sentence }) as const

/** A refusal for rate is asked again after the time that it names. */
const asked = async <A>(path: string, init: RequestInit = {}): Promise<Taken<A> | Failed> => {
  for (let tries = 1; ; tries++) {
    try {
      const answer = await fetch(path, { credentials: "same-origin", redirect: "error", signal: AbortSignal.timeout(WAIT_MS), ...init })
      const json: any = await answer.json()
      if (answer.ok) return { ok: true, value: json, status: answer.status }
      if (answer.status === 401) return { ...failed(SIGNED_OUT), signedOut: true }
      if (!isBusy(answer.status) || tries === TRIES) return failed(typeof json?.detail === "string" ? json.detail : AWAY)
      await pause(1_000 * Number(answer.headers.get("retry-after") ?? tries))
    } catch {
      if (tries === TRIES) return failed(AWAY)
      await pause(500 * 2 ** tries)
    }
  }
}

/** The refusal that a submission would meet now; none where a version is on its way, which the same files go on with. */
export const preflight = async ({ game, model, season }: Target): Promise<Answer<undefined>> => {
  const answer = await asked<{ readonly candidate: unknown; readonly refusals: ReadonlyArray<{ readonly detail: string }> }>(
    `/v1/games/${encodeURIComponent(game)}/submission?${new URLSearchParams({ season, model })}`
  )
  if (!answer.ok) return answer
  const [refusal] = answer.value.refusals
  return refusal === undefined || answer.value.candidate !== null ? { ok: true, value: undefined } : failed(refusal.detail)
}

const sent = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

const NEW = 201

/**
 * The same two hashes again give the same version, with fresh addresses for its files. It keeps the note that it has, so that another one is
 * written on it; without a text that one stays.
 */
export const submit = async (
  target: Target,
  hashes: Readonly<Record<string, string>>,
  weights_bytes: number,
  note: string
): Promise<Answer<Submitted>> => {
  const files = { weights_hash: hashes["weights"], manifest_hash: hashes["manifest"], weights_bytes }
  const body = { ...target, ...files, ...(note === "" ? {} : { note }) }
  const answer = await asked<Submitted>("/v1/submissions", sent("POST", body))
  if (!answer.ok || answer.status === NEW || note === "") return answer
  const noted = await asked(`/v1/versions/${encodeURIComponent(answer.value.version_id)}`, sent("PATCH", { note }))
  return noted.ok ? answer : noted
}

/**
 * Where a file is sent. The page may send to this origin, which as a loopback one has several names that the signature does not cover,
 * and to that of the bucket (`objects`); undefined where the upload is at neither.
 */
export const addressFor = ({ url }: Upload, objects: string | undefined): string | undefined => {
  const { href, origin, pathname, search } = new URL(url, location.href)
  if (origin === location.origin || isOfService(href)) return pathname + search
  return origin === objects ? href : undefined
}

const REFUSED: Readonly<Record<number, string>> = {
  400: "The file has changed since it was hashed. Choose it again.",
  403: "The time for the upload is over. Submit the same files again.",
  413: "The file is larger than the season takes.",
  507: "The service's disk is nearly full and takes no files. Submit the same files again later to go on."
}

/** A browser does not say why it has sent nothing to another origin. */
const storeAway = (address: string) =>
  `The store of files at ${new URL(address).origin} cannot be reached, or does not take files from this site: its operator has to allow that (CORS). Submit the same files again to go on.`

const isBusy = (status: number) => status === 429 || status === 503

/** Without an answer, and without a byte sent, for this long. */
const STALLED_MS = 120_000

interface Put extends Pick<Upload, "headers"> {
  readonly address: string
}

/** The answer; undefined where there is none. `sent` is told how many bytes are on their way. */
const put = (file: File, { address, headers }: Put, sent: (bytes: number) => void): Promise<XMLHttpRequest | undefined> =>
  new Promise((resolve) => {
    const request = new XMLHttpRequest()
    let stalled: ReturnType<typeof setTimeout>
    const moves = () => {
      clearTimeout(stalled)
      stalled = setTimeout(() => request.abort(), STALLED_MS)
    }
    request.open("PUT", address)
    for (const [header, value] of Object.entries(headers)) request.setRequestHeader(header, value)
    request.upload.onprogress = ({ loaded }) => {
      moves()
      sent(loaded)
    }
    request.onloadend = () => {
      clearTimeout(stalled)
      resolve(request.status === 0 ? undefined : request)
    }
    moves()
    request.send(file)
  })

/** Nothing of the session goes to another origin. A refusal for rate is sent again after the time that it names. */
export const upload = async (
  name: string,
  file: File,
  { address, headers, max_bytes }: Pick<Upload, "headers" | "max_bytes"> & { readonly address: string | undefined },
  sent: (bytes: number) => void
): Promise<Answer<undefined>> => {
  if (address === undefined) return failed("This service keeps files elsewhere: send them as the starter kit says.")
  if (file.size > max_bytes) return failed(`The ${name} may have ${max_bytes} bytes at most, and this file has ${file.size}.`)
  for (let tries = 1; ; tries++) {
    const answer = await put(file, { address, headers }, sent)
    if (answer === undefined) return failed(address.startsWith("/") ? AWAY : storeAway(address))
    if (answer.status < 300) return { ok: true, value: undefined }
    if (!isBusy(answer.status)) return failed(REFUSED[answer.status] ?? `The upload was refused (${answer.status}).`)
    if (tries === TRIES) return failed(AWAY)
    await pause(1_000 * Number(answer.getResponseHeader("retry-after") ?? tries))
  }
}
