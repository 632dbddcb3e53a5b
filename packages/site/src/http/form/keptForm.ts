/**
 * A form that could not be taken because the session has ended, too much was asked for, or the service is away. The page that says so
 * holds its fields, so that nothing that was typed is lost: once the visitor is signed in again, or a little later, one button sends it.
 */
import { type Html, html } from "../../html/Html.ts"
import type { Page } from "../../html/layout.ts"
import { faultOf, wordsOf } from "../Fault.ts"
import type { Form } from "./Form.ts"
import { ONCE_FIELD, posting } from "./inputs.ts"
import type { Pairs } from "./posted.ts"

export interface Received {
  readonly form: Form
  readonly pairs: Pairs
}

/** Anybody may send a form without a session, so the page that repeats it is bounded. The API's longest text has 20,000 characters. */
const KEPT_MAX = 64 * 1024

/**
 * The form once more, behind a button. Undefined where it may be another origin's, since no other page has words of its own sent by a
 * visitor's click, and where it is longer than any that a person has typed.
 */
export const keptForm = (headers: Readonly<Record<string, string | undefined>>, { form, pairs }: Received): Html | undefined => {
  if (headers["sec-fetch-site"] !== "same-origin") return undefined
  const known = pairs.filter(([name]) => form.fields.includes(name))
  const once = pairs.findLast(([name]) => name === ONCE_FIELD)?.[1]
  if (known.reduce((sum, [, text]) => sum + text.length, form.name.length + (once?.length ?? 0)) > KEPT_MAX) return undefined
  const fields = known.map(([name, text]) => html`<input type="hidden" name="${name}" value="${text}">\n`)
  return html`${posting(form, html`${fields}<button>Send it again</button>`, once === undefined ? {} : { once })}\n`
}

/** Undefined for a failure that waiting does not mend. */
export const putOffPage = (error: unknown, kept: Html): Page | undefined => {
  const fault = faultOf(error)
  if (fault.retry_after_s === undefined) return undefined
  const [title] = wordsOf(fault)
  return {
    title,
    status: fault.status,
    headers: { "retry-after": String(fault.retry_after_s) },
    // It may have failed after the form was taken: then the page that it leads to could not be read.
    main: html`<h1>${title}</h1>
<p>All that you have typed is kept on this page. The form may have been taken all the same: look in another window before you send it again.</p>
${kept}`
  }
}
