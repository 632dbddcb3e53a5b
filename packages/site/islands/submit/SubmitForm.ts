/**
 * `<agon-submit>`: two files, chosen or dropped, become a version.
 *
 *   files ──▶ looked at ──▶ hashed in a worker ──▶ preflight ──▶ submission ──▶ both uploads ──▶ the version's page
 *
 * Whatever breaks off on the way, the same files submitted again go on: the service answers with the same version. Where the session has
 * ended, the form leads to the sign-in in another window, since the files that were chosen would be gone from this one. It renders into the
 * page itself, with the page's styles, in the place of what the page says to a browser without scripts.
 */
import { html, LitElement, nothing } from "lit"
import { withTimes } from "../../src/html/instants.ts"
import type { Hashed } from "../hasher.ts"
import { type Answer, addressFor, preflight, type Submitted, submit, upload } from "./api.ts"
import { faultIn } from "./check.ts"

const KINDS = ["weights", "manifest"] as const
type Kind = (typeof KINDS)[number]
type Files = Readonly<Record<Kind, File>>

const LABELS: Readonly<Record<Kind, { readonly label: string; readonly accept: string }>> = {
  weights: { label: "Weights, an ONNX file", accept: ".onnx" },
  manifest: { label: "Manifest, a JSON file", accept: ".json" }
}

export class SubmitForm extends LitElement {
  static override properties = {
    game: {},
    season: {},
    model: {},
    hasher: {},
    objects: {},
    largest: { type: Number },
    note: { type: Number },
    stage: { state: true },
    share: { state: true },
    refusal: { state: true },
    signedOut: { state: true }
  }
  declare game: string
  declare season: string
  declare model: string
  /** The address of the worker's script. */
  declare hasher: string
  /** The origin of the bucket that files go to, where the service does not keep them itself. */
  declare objects: string | null
  /** Bytes that both files may have together. */
  declare largest: number | undefined
  /** Characters that the note may have. */
  declare note: number | undefined
  /** A sentence while something is under way. */
  declare stage: string | undefined
  /** Of the bytes of both files, from 0 to 1. */
  declare share: number | undefined
  declare refusal: string | undefined
  declare signedOut: boolean | undefined

  protected override createRenderRoot(): HTMLElement {
    this.replaceChildren()
    return this
  }

  protected override render() {
    return html`<form class="typed" aria-label="Submit" @submit=${this.#submitted} @dragover=${this.#over} @drop=${this.#dropped}>
${this.refusal === undefined ? nothing : html`<p class="bad alert" role="alert"><bdi>${withTimes(this.refusal)}</bdi>${this.signedOut === true ? html` <a href="/me" target="_blank">Sign in</a>` : nothing}</p>`}
<p class="hint">Choose both files, or drop them here.</p>
${KINDS.map((kind) => html`<div class="field"><label for="file-${kind}">${LABELS[kind].label}</label><input id="file-${kind}" type="file" accept=${LABELS[kind].accept} required ?disabled=${this.stage !== undefined}></div>`)}
<div class="field"><label for="note">Note</label><p class="hint" id="note-hint">Everybody who sees the version reads it.${this.note === undefined ? nothing : ` At most ${this.note} characters.`} It may stay empty.</p><input id="note" aria-describedby="note-hint" dir="auto" autocomplete="off" ?disabled=${this.stage !== undefined}></div>
<button aria-disabled=${this.stage === undefined ? nothing : "true"}>Submit</button>
<p role="status">${this.stage ?? ""}</p>
${this.share === undefined ? nothing : html`<progress aria-label="Sent" max="1" .value=${this.share}></progress>`}
</form>`
  }

  #input = (kind: Kind) => this.querySelector<HTMLInputElement>(`#file-${kind}`)!

  #over = (event: DragEvent): void => event.preventDefault()

  /** By their endings; the inputs show what they have. */
  #dropped = (event: DragEvent): void => {
    event.preventDefault()
    if (this.stage !== undefined) return
    for (const file of event.dataTransfer?.files ?? []) {
      const kind = KINDS.find((kind) => file.name.toLowerCase().endsWith(LABELS[kind].accept))
      if (kind === undefined) continue
      const one = new DataTransfer()
      one.items.add(file)
      this.#input(kind).files = one.files
    }
  }

  #submitted = (event: Event): void => {
    event.preventDefault()
    const [weights, manifest] = KINDS.map((kind) => this.#input(kind).files?.[0])
    if (weights === undefined || manifest === undefined || this.stage !== undefined) return
    this.refusal = undefined
    const note = this.querySelector<HTMLInputElement>("#note")!.value.trim()
    void this.#send({ weights, manifest }, note).then((answer) => {
      this.stage = undefined
      this.share = undefined
      if (answer.ok) location.assign(`/me/versions/${encodeURIComponent(answer.value)}`)
      else {
        this.refusal = answer.sentence
        this.signedOut = answer.signedOut
      }
    })
  }

  /** The version's id. */
  async #send(files: Files, note: string): Promise<Answer<string>> {
    const target = { game: this.game, season: this.season, model: this.model }
    this.stage = "Looking at the files."
    const fault = await faultIn(files, this.largest)
    if (fault !== undefined) return { ok: false, sentence: fault }
    this.stage = "Hashing the files."
    const hashed = await this.#hashed(files)
    if (!hashed.ok) return hashed
    this.stage = "Asking whether the season takes them."
    const may = await preflight(target)
    if (!may.ok) return may
    const submitted = await submit(target, hashed.hashes, files.weights.size, note)
    if (!submitted.ok) return submitted
    return this.#uploaded(files, submitted.value)
  }

  async #uploaded(files: Files, submitted: Submitted): Promise<Answer<string>> {
    const total = files.weights.size + files.manifest.size
    let before = 0
    for (const kind of KINDS) {
      this.stage = `Sending the ${kind}.`
      const address = addressFor(submitted.upload[kind], this.objects ?? undefined)
      const answer = await upload(kind, files[kind], { ...submitted.upload[kind], address }, (bytes) => {
        this.share = (before + bytes) / Math.max(1, total)
      })
      if (!answer.ok) return answer
      before += files[kind].size
    }
    return { ok: true, value: submitted.version_id }
  }

  #hashed(files: Files): Promise<Hashed> {
    return new Promise((resolve) => {
      const worker = new Worker(this.hasher, { type: "module" })
      const settle = (answer: Hashed) => {
        worker.terminate()
        resolve(answer)
      }
      worker.onmessage = ({ data }: MessageEvent<Hashed>) => settle(data)
      worker.onerror = () => settle({ ok: false, sentence: "The files could not be hashed." })
      worker.postMessage(files)
    })
  }
}
