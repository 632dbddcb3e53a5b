/** The addresses of the pages, in one place, so that no link leads nowhere. */
import { type Html, html, said } from "./Html.ts"

const part = encodeURIComponent

export const gameAt = (game: string) => `/games/${part(game)}`

/** Below it stand the pages that also show the private seasons of the visitor's, as `/v1/private` does for the API. */
export const PRIVATE = "/private"

/** The pages of a season and of what is in it, and the API that they read. */
const placesBelow = (prefix: "" | typeof PRIVATE) => {
  const season = (game: string, slug: string) => `${prefix}${gameAt(game)}/seasons/${part(slug)}`
  const ladder = (game: string, slug: string, name: string) => `${season(game, slug)}/ladders/${part(name)}`
  return {
    api: `/v1${prefix}`,
    season,
    ladder,
    matrix: (game: string, slug: string, name: string) => `${ladder(game, slug, name)}/matrix`,
    course: (game: string, slug: string, name: string) => `${ladder(game, slug, name)}/course`,
    board: (game: string, slug: string, map_id: string) => `${season(game, slug)}/boards/${part(map_id)}`,
    replay: (match: string, name: string) => `${prefix}/replays/${part(match)}/${part(name)}`,
    matches: (query: Readonly<Record<string, string | number | undefined>> = {}) => withQuery(`${prefix}/matches`, query),
    match: (id: string) => `${prefix}/matches/${part(id)}`,
    model: (id: string) => `${prefix}/models/${part(id)}`,
    version: (id: string) => `${prefix}/versions/${part(id)}`
  }
}

export type Places = ReturnType<typeof placesBelow>
/** For everybody. */
export const inPublic = placesBelow("")
/** For those who may read the private season. */
export const inPrivate = placesBelow(PRIVATE)
/** The addresses of a season and of what is in it. */
export const placesFor = ({ visibility }: { readonly visibility: "public" | "private" }): Places =>
  visibility === "public" ? inPublic : inPrivate

export const { ladder: ladderAt, match: matchAt, model: modelAt, season: seasonAt } = inPublic
/** Pictures for previews of links. Programs without a session ask for them, so there are none of private seasons. */
export const matchPictureAt = (id: string) => `${matchAt(id)}/board.png`
export const boardPictureAt = (game: string, season: string, map_id: string) => `${inPublic.board(game, season, map_id)}/board.png`
export const profileAt = (username: string) => `/people/${part(username)}`
export const postAt = (slug: string) => `/posts/${part(slug)}`

/** Atom feeds. */
export const newsFeedAt = "/news.atom"
export const announcementFeedAt = "/announcements.atom"
export const resultFeedAt = (model: string) => `${modelAt(model)}/results.atom`

/** Pages of the visitor alone. */
export const meAt = "/me"
export const settingsAt = "/me/settings"
export const deviceAt = "/device"
/** The administration pages of a season; `part` is a page of it. */
export const seasonAdminAt = (game: string, season: string, part = "") => `${seasonAt(game, season)}/admin${part === "" ? "" : `/${part}`}`
/** The administration pages of the platform. */
export const platformAdminAt = (part = "") => `/admin${part === "" ? "" : `/${part}`}`
export const sessionsAt = "/me/sessions"
export const notificationsAt = "/me/notifications"
export const webhooksAt = "/me/webhooks"
export const webhookAt = (id: string) => `${webhooksAt}/${part(id)}`
export const commentsAt = "/me/comments"
export const commentAt = (id: string) => `${commentsAt}/${part(id)}`
export const myModelsAt = "/me/models"
export const myModelAt = (id: string) => `${myModelsAt}/${part(id)}`
export const myStoryAt = (id: string) => `${myModelAt(id)}/story`
export const submitAt = (model: string, season: string) => `${myModelAt(model)}/submit/${part(season)}`
export const myMatchesAt = "/me/matches"
export const myMatchAt = (id: string) => `${myMatchesAt}/${part(id)}`
export const myReplaysAt = "/me/replays"
export const myReplayAt = (match: string, name: string) => `${myReplaysAt}/${part(match)}/${part(name)}`
export const myVersionAt = (id: string) => `/me/versions/${part(id)}`
/** A file of the starter kit, without its ending. */
export const kitAt = (file: string) => `/kit/${part(file.toLowerCase())}`

/** An address with parameters; those without a value are left out. */
export const withQuery = (path: string, query: Readonly<Record<string, string | number | undefined>>): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, String(value)]]))
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}

/** Signs in at a provider, or adds it to the account that is signed in, and leads back to `to`. */
export const signInAt = (provider: string, to: string) => withQuery(`/v1/auth/${part(provider)}`, { return_to: to })

export const link = (to: string, text: string): Html => html`<a href="${to}">${said(text)}</a>`

/** A model's owner; a baseline has none. Usernames are plain letters. */
export const owned = (owner: string | null): Html =>
  owner === null ? html`<i>baseline</i>` : html`<a href="${profileAt(owner)}">${owner}</a>`

/** The address of a comment on the page of its match or model: of the page of the thread that has it. */
export const commentIn = (page: string, { created_at, id }: { readonly id: string; readonly created_at: string }): string =>
  `${withQuery(page, { comment: id, written: created_at })}#comment-${id}`

const placesOf = (prefix: string | undefined): Places => (prefix === undefined ? inPublic : inPrivate)

const ID = "([0-9a-f-]{36})"

/** Where the API's own addresses, which notifications have, are shown on the site. */
const SHOWN: ReadonlyArray<readonly [RegExp, (...parts: ReadonlyArray<string | undefined>) => string | undefined]> = [
  [new RegExp(`^/v1/(?:me/)?models/${ID}/story$`), (id = "") => `${modelAt(id)}#story`],
  [
    new RegExp(`^/v1/(private/)?threads\\?(match|model)=${ID}(?:&comment=${ID}&written=([0-9TZ:.-]+))?$`),
    (of, kind, id = "", comment, written = "") => {
      const page = kind === "match" ? placesOf(of).match(id) : placesOf(of).model(id)
      return comment === undefined ? `${page}#comments` : commentIn(page, { id: comment, created_at: written })
    }
  ],
  [new RegExp(`^/v1/(private/)?versions/${ID}$`), (of, id = "") => placesOf(of).version(id)],
  [
    /^\/v1\/(private\/)?games\/([a-z0-9-]+)\/seasons\/([a-z0-9-]+)\/podium$/,
    (of, game = "", season = "") => placesOf(of).season(game, season)
  ],
  [new RegExp(`^/v1/me/versions/${ID}$`), (id = "") => myVersionAt(id)],
  [/^\/v1\/(?:me|private)\//, () => undefined]
]

/** A link that a person or the service wrote: a path here or a web address, or nothing where it is neither. */
export const followable = (written: string | null): string | undefined => {
  if (written === null) return undefined
  for (const [pattern, to] of SHOWN) {
    const found = pattern.exec(written)
    if (found !== null) return to(...found.slice(1))
  }
  if (/^\/(?![/\\])/.test(written)) return written
  return /^https?:\/\//i.test(written) && URL.canParse(written) ? written : undefined
}
