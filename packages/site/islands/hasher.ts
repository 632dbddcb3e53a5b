/** A worker: takes files by name and answers with their SHA-256 as the API writes it, or with a sentence that says why it cannot. */
type Files = Readonly<Record<string, File>>
export type Hashed =
  | { readonly ok: true; readonly hashes: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly sentence: string }

const hashOf = async (file: File): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()))
  return `sha256:${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}

const hashed = async (files: Files): Promise<Hashed> => {
  // Browsers hash on secure origins alone: over TLS, or of this machine.
  if (crypto.subtle === undefined) return { ok: false, sentence: "Over an unencrypted connection this browser does not hash files." }
  try {
    const pairs: Array<readonly [string, string]> = []
    for (const [name, file] of Object.entries(files)) pairs.push([name, await hashOf(file)])
    return { ok: true, hashes: Object.fromEntries(pairs) }
  } catch {
    return { ok: false, sentence: "A file could not be read. Choose it again." }
  }
}

addEventListener("message", ({ data }: MessageEvent<Files>) => {
  void hashed(data).then((answer) => postMessage(answer))
})
