/** The frame of the visitor's own pages: the way from each to the others. */
import { type Html, html } from "./Html.ts"
import { commentsAt, deviceAt, meAt, myMatchesAt, myModelsAt, notificationsAt, sessionsAt, settingsAt, webhooksAt } from "./links.ts"

const PAGES = [
  [meAt, "Overview"],
  [myModelsAt, "My models"],
  [myMatchesAt, "My matches"],
  [commentsAt, "My comments"],
  [notificationsAt, "Notifications"],
  [settingsAt, "Settings"],
  [webhooksAt, "Webhooks"],
  [sessionsAt, "Sessions and sign out"],
  [deviceAt, "Sign a device in"]
] as const

/** `here` is the page that shows. */
export const myPagesNav = (here: string): Html => html`<nav class="sections" aria-label="My pages"><ul>
${PAGES.map(([to, name]) => html`<li><a href="${to}"${to === here && html` aria-current="page"`}>${name}</a></li>\n`)}</ul></nav>
`
