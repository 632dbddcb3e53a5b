/** The mail that tells an account what it has been told since the last one: plain text, and the same as simple HTML. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { MailSettings } from "../../config/Mail.ts"

/** The rest of a burst is a number, and in the feed. */
const LISTED_MAX = 50
const SUBJECT_CHARACTERS_MAX = 150
const NEWS_CHARACTERS_MAX = 500

export interface News {
  readonly id: string
  readonly subject: string
}

export interface Digest {
  readonly from: MailSettings["from"]
  readonly to: string
  readonly username: string
  /** The oldest first; at least one. */
  readonly news: ReadonlyArray<News>
  readonly at: Date
  readonly origin: string
  /** The address that ends these mails when it is posted to (RFC 8058), and shows a page with a button for that. */
  readonly unsubscribe: string
}

/**
 * Names of people and models stand in subjects: one line of them, without what would start another
 * header or turn the text around.
 */
const oneLine = (text: string, longest: number): string =>
  [...text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ").trim()].slice(0, longest).join("")

const escaped = (text: string): string => text.replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`)

/** The same for the same news, so that a mailbox which is sent them twice can tell. */
const messageId = (news: ReadonlyArray<News>, address: string): string =>
  `<${createHash("sha256")
    .update(news.map(({ id }) => id).join())
    .digest("hex")
    .slice(0, 32)}@${address.slice(address.lastIndexOf("@") + 1)}>`

const textOf = ({ unsubscribe, username }: Digest, lines: ReadonlyArray<string>, more: string, feed: string, settings: string) =>
  [
    `Hello ${username},`,
    "",
    ...lines.map((line) => `- ${line}`),
    ...(more === "" ? [] : [more]),
    "",
    `Read more: ${feed}`,
    `Stop these mails: ${unsubscribe}`,
    `Settings: ${settings}`,
    ""
  ].join("\n")

const htmlOf = ({ unsubscribe, username }: Digest, lines: ReadonlyArray<string>, more: string, feed: string, settings: string) =>
  `<!doctype html><html lang="en"><body><p>Hello ${escaped(username)},</p>
<ul>
${lines.map((line) => `<li>${escaped(line)}</li>`).join("\n")}
</ul>
${more === "" ? "" : `<p>${escaped(more)}</p>\n`}<p><a href="${escaped(feed)}">Read more</a></p>
<p><small><a href="${escaped(unsubscribe)}">Stop these mails</a> · <a href="${escaped(settings)}">Settings</a></small></p></body></html>
`

export const composed = (digest: Digest): Effect.Effect<Buffer> =>
  Effect.promise(async () => {
    const { default: MailComposer } = await import("nodemailer/lib/mail-composer") // few services send mail
    const { at, from, news, origin, to, unsubscribe } = digest
    const lines = news.slice(0, LISTED_MAX).map(({ subject }) => oneLine(subject, NEWS_CHARACTERS_MAX))
    const more = news.length > LISTED_MAX ? `and ${news.length - LISTED_MAX} more.` : ""
    const [feed, settings] = [`${origin}/me/notifications`, `${origin}/me/settings`]
    return new MailComposer({
      from,
      to: { name: "", address: to },
      subject: news.length === 1 ? oneLine(news[0]!.subject, SUBJECT_CHARACTERS_MAX) : `${news.length} notifications`,
      date: at,
      messageId: messageId(news, from.address),
      text: textOf(digest, lines, more, feed, settings),
      html: htmlOf(digest, lines, more, feed, settings),
      headers: {
        "Auto-Submitted": "auto-generated",
        "List-Unsubscribe": { prepared: true, value: `<${unsubscribe}>` },
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"
      },
      disableFileAccess: true,
      disableUrlAccess: true
    })
      .compile()
      .build()
  })
