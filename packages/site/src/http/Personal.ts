/**
 * Pages of the visitor whose session it is, and the forms on them. A form is taken from pages of this origin alone: here by the
 * browser's Sec-Fetch-Site, and by the service, which gets that header and Origin with every call, exactly as for any other write.
 */
import { type Client, sessionOf } from "@agon/api/Client.ts"
import { Effect, type Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
import { html } from "../html/Html.ts"
import type { Page } from "../html/layout.ts"
import type { ClientAs } from "./clientAs.ts"
import { FOREIGN, ILL_FORM, Refused, statusOf } from "./Fault.ts"
import { type Done, type Form, shownOf, triedOf } from "./form/Form.ts"
import { FORM_FIELD } from "./form/inputs.ts"
import { keptForm, putOffPage, type Received } from "./form/keptForm.ts"
import { pairsOf, typedOf } from "./form/posted.ts"
import { makeSentOnce } from "./form/sentOnce.ts"
import type { AskedByOwner, PersonalRoute } from "./Route.ts"
import { notFound } from "./refuse.ts"
import { signInPage } from "./signIn.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Less than a page may take in all (Answers.ts): a form that takes longer is kept on a page that says so. */
const TAKES_AT_MOST = "7 seconds"

interface Personal extends Omit<AskedByOwner, "client" | "tried"> {
  readonly request: Request
  readonly route: PersonalRoute
}

/** `client` reads without a session. Fails with a refusal of the API or of a form, which is shown as a page of its status. */
export const makePersonal = ({ as, client }: { readonly as: ClientAs; readonly client: Client }, scope: Scope.Scope) => {
  const once = makeSentOnce(scope)
  const drawn = (route: PersonalRoute, session: string, asked: Omit<AskedByOwner, "client">) =>
    as({ session }, (client) => route.own({ ...asked, client }))

  const posted = Effect.fnUntraced(function* ({ request, route, ...asked }: Personal, session: string, { form, pairs }: Received) {
    const typed = typedOf(form.fields, pairs)
    const { params, query } = asked
    const send = as({ visit: { headers: request.headers } }, (client) => form.send({ client, params, query, typed }))
    const { adds = false, takesBack = false } = form
    const sent = once({ session, address: request.url, pairs, adds, takesBack }, send)
    return yield* Effect.matchEffect(sent, {
      onSuccess: (done) =>
        "shown" in done ? drawn(route, session, { ...asked, tried: shownOf(form, typed, done) }) : Effect.succeed(leading(done)),
      onFailure: (error) => {
        const tried = triedOf(form, typed, error)
        if (tried === undefined) return Effect.fail(error)
        const { retry_after_s, status } = tried
        return Effect.map(drawn(route, session, { ...asked, tried }), (page) => ({
          ...page,
          title: `Refused: ${page.title}`,
          status,
          ...(retry_after_s === undefined ? {} : { headers: { "retry-after": String(retry_after_s) } })
        }))
      }
    })
  })

  return Effect.fnUntraced(function* (personal: Personal) {
    const { request, route, ...asked } = personal
    const received = request.method === "POST" ? yield* receivedOf(request, route.forms ?? []) : undefined
    const session = tokenOf(request.headers["cookie"])
    const kept = received === undefined ? undefined : keptForm(request.headers, received)
    const signedOut = route.hides === true ? notFound : signInPage(client, request.url, kept)
    if (session === undefined) return yield* signedOut
    const page = received === undefined ? drawn(route, session, asked) : posted(personal, session, received)
    return yield* Effect.catch(Effect.timeout(page, TAKES_AT_MOST), (error) => {
      if (statusOf(error) === 401) return signedOut
      const putOff = kept === undefined ? undefined : putOffPage(error, kept)
      return putOff === undefined ? Effect.fail(error) : Effect.succeed(putOff)
    })
  })
}

const receivedOf = Effect.fnUntraced(function* (request: Request, forms: ReadonlyArray<Form>) {
  const site = request.headers["sec-fetch-site"]
  if (site !== undefined && site !== "" && site !== "same-origin" && site !== "none") return yield* new Refused({ fault: FOREIGN })
  const pairs = yield* Effect.mapError(pairsOf(request), (status) => new Refused({ fault: status === 400 ? ILL_FORM : { status } }))
  const name = typedOf([FORM_FIELD], pairs).one(FORM_FIELD)
  const form = forms.find((form) => form.name === name)
  if (form === undefined) return yield* new Refused({ fault: ILL_FORM })
  return { form, pairs } satisfies Received
})

/** A session that the service could have made; any other text is none. */
export const tokenOf = (cookies: string | undefined) => {
  const token = sessionOf(cookies)
  return token !== undefined && /^[A-Za-z0-9_-]{1,200}$/.test(token) ? token : undefined
}

/** The cookie is the service's, which has forgotten the session by now. */
const FORGOTTEN = "service_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"

const leading = ({ signedOut = false, to }: Done): Page => ({
  title: "Done",
  main: html`<h1>Done</h1>\n<p><a href="${to}">Go on.</a></p>`,
  status: 303,
  location: to,
  ...(signedOut ? { headers: { "set-cookie": FORGOTTEN } } : {})
})
