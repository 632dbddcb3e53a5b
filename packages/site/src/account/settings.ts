/** Settings of the visitor's account: what others read about them, and what they are told. */
import type { Account, Provider } from "@agon/api/account/api.ts"
import { type OptionalKind, optionalKinds } from "@agon/api/notification/Notification.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { profileAt, settingsAt, signInAt, withQuery } from "../html/links.ts"
import { myPagesNav } from "../html/myPagesNav.ts"
import { done } from "../http/form/done.ts"
import { form } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import type { PersonalRoute } from "../http/Route.ts"

/** Each of them as the thing that happened. */
const HAPPENED: Readonly<Record<OptionalKind, string>> = {
  season_notice: "A notice by a season's administrators",
  version_admitted: "A version of mine has passed its review",
  version_rejected: "A version of mine was rejected; my pages list those that I was told of",
  version_entered: "A version of mine has entered the ladder",
  version_superseded: "A version of mine was superseded by a newer one",
  version_suspended: "A version of mine was suspended",
  version_disqualified: "A version of mine was disqualified",
  version_reinstated: "A version of mine may play again",
  comment_reply: "Somebody has answered a comment of mine",
  comment_approved: "A comment of mine was approved",
  story_approved: "A story of mine was approved",
  story_rejected: "A story of mine was rejected",
  season_closed: "A season that I took part in has ended"
}

const SAVED = withQuery(settingsAt, { done: "saved" })
const ADDED = withQuery(settingsAt, { done: "added" })

/**
 * The page says in `was_` what it showed, and only fields that differ from that are sent. So a change made elsewhere meanwhile stays, and a
 * name that is no longer allowed does not keep the other field from being saved.
 */
const profile = form({
  name: "profile",
  fields: ["display_name", "bio", "was_display_name", "was_bio"],
  codes: { note_word_listed: "bio" },
  send: ({ client, typed }) => {
    const changed = (name: "display_name" | "bio") => !typed.all(`was_${name}`).includes(typed.one(name))
    const payload = {
      ...(changed("display_name") ? { display_name: typed.one("display_name") } : {}),
      ...(changed("bio") ? { bio: typed.one("bio") } : {})
    }
    return Effect.as(client.account.editMe({ payload }), { to: SAVED })
  }
})

const told = form({
  name: "told",
  fields: ["kind", "email"],
  send: ({ client, typed }) => {
    const chosen = typed.all("kind")
    const kinds = Object.fromEntries(optionalKinds.map((kind) => [kind, chosen.includes(kind)]))
    const email = typed.all("email") // with "no" among them wherever the page has the box
    const payload = email.length === 0 ? kinds : { ...kinds, email: email.includes("yes") }
    return Effect.as(client.notification.changeNotificationSettings({ payload }), { to: SAVED })
  }
})

/**
 * Whoever signs in at another provider without this session gets another account, which holds that identity for good: the way to have both
 * in one is from here.
 */
const signIns = (identities: Account["identities"], providers: ReadonlyArray<Provider>): Html => {
  const labelOf = (slug: string) => providers.find((provider) => provider.slug === slug)?.label ?? slug
  const others = providers.filter(({ slug }) => identities.every(({ provider }) => provider !== slug))
  return html`<h2 id="sign-ins">How you sign in</h2>
${identities.length > 0 && html`<ul>\n${identities.map(({ login, provider }) => html`<li>${labelOf(provider)}, as ${said(login)}</li>\n`)}</ul>\n`}${
  others.length > 0 &&
  html`<p>A season may ask for another sign-in than you have. Add it here, while you are signed in: without that it makes another account.</p>
<ul class="acts">${others.map(({ label, slug }) => html`<li><a class="act aside" href="${signInAt(slug, ADDED)}">Add a sign-in with ${label}</a></li>\n`)}</ul>
`
}`
}

export const settings: PersonalRoute = {
  path: settingsAt,
  query: ["done"],
  forms: [profile, told],
  own: Effect.fnUntraced(function* ({ client, query, tried }) {
    const [{ bio, display_name, identities, username }, kinds, providers] = yield* Effect.all(
      [client.account.me(), client.notification.notificationSettings(), client.account.authProviders()],
      { concurrency: "unbounded" }
    )
    const { area, hidden, text, whole } = inputs(profile, tried, { display_name, bio })
    const was = tried?.form === profile.name ? tried.typed : undefined
    const shown = html`${hidden("was_display_name", was?.one("was_display_name") ?? display_name)}${hidden("was_bio", was?.one("was_bio") ?? bio)}\n`
    const boxes = inputs(told, tried, { kind: optionalKinds.filter((kind) => kinds[kind]), email: kinds.email ? ["yes"] : [] })
    const main = html`<h1>Settings</h1>
${myPagesNav(settingsAt)}${done(tried, query["done"], { saved: "Saved.", added: "You can sign in by that as well now." })}<h2>Your public profile</h2>
<p><a href="${profileAt(username)}">Your public page</a></p>
${whole(html`${shown}${text("display_name", "Display name", { hint: "1 to 64 characters.", more: html`autocomplete="nickname"` })}${area("bio", "About you", { hint: "At most 500 characters." })}`, "Save")}
${signIns(identities, providers)}<h2>Your notifications</h2>
${boxes.whole(
  html`<fieldset>
<legend>Tell me when this happens</legend>
${optionalKinds.map((kind) => boxes.box("kind", kind, HAPPENED[kind]))}</fieldset>
<p class="hint">Notices of the platform reach everybody.</p>
${
  kinds.email_address === null
    ? ""
    : html`${boxes.hidden("email", "no")}${boxes.box("email", "yes", `Mail me this, too, to ${kinds.email_address}`)}
<p class="hint">Four mails an hour at most; notifications that come together are in one mail.</p>
`
}`,
  "Save",
  "Your notifications"
)}`
    return { title: "Settings", main }
  })
}
