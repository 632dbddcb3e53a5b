/**
 * The page behind the link in a mail, for people. GET shows a button and does nothing, since mail programs
 * fetch links in advance; the button posts to the same address, as their own one-click button does (RFC
 * 8058). Nothing of the request is repeated in it, and no cookie is read or set. Whether the link is one of
 * ours is told after the click.
 */
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { formPolicy } from "../../http/securityHeaders.ts"

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:2rem auto;padding:0 1rem}button{font:inherit;padding:.4rem 1rem}"

const pageOf = (title: string, content: string, status: number) => {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1>
${content}
</main></body></html>
`
  const headers = {
    "content-security-policy": formPolicy(html),
    "cache-control": "no-store",
    // With no-referrer a browser names no origin for the button's POST. The address, which has
    // the token, goes nowhere else.
    "referrer-policy": "same-origin"
  }
  return HttpServerResponse.text(html, { status, contentType: "text/html; charset=utf-8", headers })
}

const SETTINGS = `<p><a href="/me/settings">Settings of your account</a></p>`
export const asking = pageOf(
  "Stop e-mail",
  `<p>The service mails you what your account is told. Your notifications stay on the site.</p>
<form method="post"><button>Stop these mails</button></form>`,
  200
)
export const stopped = pageOf("E-mail is off", `<p>You get no more of these mails. You can turn them on again.</p>${SETTINGS}`, 200)
export const unknown = pageOf(
  "Unknown link",
  `<p>This link is not one of ours, or the account is gone. Take the whole address from the mail.</p>${SETTINGS}`,
  404
)

/** A browser that sends a form; a mail program asks for nothing in particular. */
export const isForPerson = ({ headers }: HttpServerRequest.HttpServerRequest): boolean => (headers["accept"] ?? "").includes("text/html")
