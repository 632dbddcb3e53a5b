import type { Html } from "./Html.ts"

/** Text in places without elements, such as a title: it can isolate nothing there, so characters that turn the direction are left out. */
export const plainLine = (text: string, max: number): string => {
  const plain = text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cc}]/gu, "")
  return [...plain].slice(0, max).join("")
}

const REFERENCES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' }

/** The words of a template's result, for places without elements. Blocks stay apart by a space, and what stands out within a line has none. */
export const plainOf = (content: Html | ""): string =>
  String(content)
    .replace(/<\/?(bdi|b|a|i|small|time|em|strong|s|code)\b[^>]*>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/&(?:#(\d+)|(\w+));/g, (whole, code: string | undefined, name: string) =>
      code === undefined ? (REFERENCES[name] ?? whole) : String.fromCodePoint(Number(code))
    )
    .replace(/\s+/g, " ")
    .trim()
