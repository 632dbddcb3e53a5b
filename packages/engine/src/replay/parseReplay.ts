/**
 * The text of a replay file as a value, before it is read (`readReplay.ts`). Only texts pass that every reader takes for the same
 * match: JSON in UTF-8, no key twice in an object, whole numbers written plainly (docs/games.md#replays). Readers disagree on
 * which of two equal keys counts, and on whether 5.0 is a whole number. White space and the order of keys do no harm.
 */
import type { BoardError } from "../Engine.ts"

/** The contract's limit on a replay. */
export const REPLAY_BYTES_MAX = 4 * 1024 * 1024

export type ParsedReplay =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: ReadonlyArray<BoardError> }

/** Never throws. Its work is linear in the bytes, of which there may be `REPLAY_BYTES_MAX`. */
export const parseReplay = (bytes: Uint8Array): ParsedReplay => {
  if (bytes.length > REPLAY_BYTES_MAX) return refused(`is larger than ${REPLAY_BYTES_MAX} bytes`)
  if (BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte)) return refused("begins with a byte order mark, which JSON does not have")
  let text: string
  let value: unknown
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    value = JSON.parse(text)
  } catch {
    return refused("is not JSON")
  }
  const message = ambiguityOf(text)
  return message === undefined ? { ok: true, value } : refused(message)
}

const refused = (message: string): ParsedReplay => ({ ok: false, problems: [{ path: "", message }] })

/** The decoder would leave it out; other readers of the file refuse it. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

const plain = /^(?:0|-?[1-9]\d*)$/
const number = /-?\d[\d.eE+-]*/y
const colon = /[ \t\r\n]*:/y

const SHOWN = 64
/** A replay has objects and lists in each other six deep. */
const DEPTH_MAX = 32

/** The first thing in a valid JSON text that two readers may take differently. */
const ambiguityOf = (text: string): string | undefined => {
  /** The keys of the objects around, innermost last; null for a list. */
  const around: Array<Set<string> | null> = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (around.length > DEPTH_MAX) return `has objects and lists in each other more than ${DEPTH_MAX} deep`
    if (char === "{") around.push(new Set())
    else if (char === "[") around.push(null)
    else if (char === "}" || char === "]") around.pop()
    else if (char === '"') {
      const end = endOfString(text, at)
      const keys = around.at(-1)
      colon.lastIndex = end
      if (keys && colon.test(text)) {
        const key: string = JSON.parse(text.slice(at, end))
        if (keys.has(key)) return `has the key ${JSON.stringify(key.slice(0, SHOWN))} twice in one object`
        keys.add(key)
      }
      at = end - 1
    } else if (char === "-" || (char >= "0" && char <= "9")) {
      number.lastIndex = at
      const found = number.exec(text)![0]
      if (!plain.test(found)) return `has the number ${found.slice(0, SHOWN)}, which is not written as a plain whole number`
      at += found.length - 1
    }
  }
  return undefined
}

/** The index after the closing quote of the string that begins at `begin`. */
const endOfString = (text: string, begin: number): number => {
  let at = begin + 1
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return at + 1
}
