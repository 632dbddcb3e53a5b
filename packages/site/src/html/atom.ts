/**
 * Atom (RFC 4287): what is new, for programs that look again and again. Names and texts come from people, and a feed that is not well
 * formed shows nothing at all: characters that XML 1.0 does not have are left out, and so are those that turn the direction of a line.
 * An id stays the same for good: it is the address of what the entry is about, or its UUID.
 */
import { escaped } from "./Html.ts"
import { plainLine } from "./plainLine.ts"

export const ATOM = "application/atom+xml"

/** Readers look again long before so much has happened, and no feed grows without limit. */
export const ENTRIES_MAX = 25

export interface Entry {
  /** A path here, or a URN. */
  readonly id: string
  readonly title: string
  readonly published: string
  readonly updated: string
  /** A path here, or a web address. */
  readonly link: string
  /** A username. */
  readonly author?: string
  readonly summary: { readonly type: "text" | "html"; readonly text: string }
}

export interface Feed {
  /** The feed's own path. */
  readonly path: string
  readonly title: string
  /** The path of the page that it belongs to. */
  readonly page: string
  /** The time of a feed without entries. */
  readonly began?: string
  /** The newest first. */
  readonly entries: ReadonlyArray<Entry>
}

export const uuidUrn = (id: string) => `urn:uuid:${id}`

/** Text of an element or an attribute. Half a surrogate pair is no character either. */
const inXml = (text: string): string =>
  escaped(text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")).replaceAll("\r", "&#13;")

const TITLE_MAX = 200
const TEXT_MAX = 2_000
const titled = (title: string) => inXml(plainLine(title, TITLE_MAX))
const summed = ({ text, type }: Entry["summary"]) => inXml(type === "text" ? plainLine(text, TEXT_MAX) : text)

const entryOf =
  (at: (link: string) => string) =>
  ({ author, id, link, published, summary, title, updated }: Entry): string =>
    `<entry>
<id>${at(id)}</id>
<title>${titled(title)}</title>
<published>${inXml(published)}</published>
<updated>${inXml(updated)}</updated>
<link rel="alternate" href="${at(link)}"/>
${author === undefined ? "" : `<author><name>${inXml(author)}</name></author>\n`}<summary type="${summary.type}">${summed(summary)}</summary>
</entry>
`

/** The time of something whose time nobody knows. */
export const UNKNOWN = "1970-01-01T00:00:00.000Z"

/** Instants of the API have one form, so that the later one is the greater text. */
export const later = (a: string, b: string) => (a > b ? a : b)
const latest = (began: string, entries: ReadonlyArray<Entry>) =>
  entries.reduce((last, { updated }) => later(last, updated), entries[0]?.updated ?? began)

/** `origin` is that under which people reach the pages. */
export const atom = ({ began = UNKNOWN, entries, page, path, title }: Feed, origin: string): string => {
  const at = (link: string) => inXml(link.startsWith("/") ? origin + link : link)
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${at(path)}</id>
<title>${titled(title)}</title>
<updated>${inXml(latest(began, entries))}</updated>
<link rel="self" type="${ATOM}" href="${at(path)}"/>
<link rel="alternate" type="text/html" href="${at(page)}"/>
<author><name>Agon</name></author>
${entries.slice(0, ENTRIES_MAX).map(entryOf(at)).join("")}</feed>
`
}
