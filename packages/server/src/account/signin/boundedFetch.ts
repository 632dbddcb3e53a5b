/** `fetch` for sign-in providers: reads the whole body, up to a maximum. */

/** A discovery document has a few kilobytes, a user's record fewer. */
const BYTES_MAX = 512 * 1024

export const boundedFetch = async (url: string, options: object): Promise<Response> => {
  const { body, headers, status } = await fetch(url, options)
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > BYTES_MAX) throw new Error(`${new URL(url).origin} answered with more than ${BYTES_MAX} bytes`) // leaving the loop cancels the rest
    chunks.push(chunk)
  }
  return new Response(bytes === 0 ? null : Buffer.concat(chunks), { status, headers })
}
