/** A page of the site: its address, the parameters that it knows, how it is made from reads of the API, and the forms that it takes. */
import type { Client } from "@agon/api/Client.ts"
import type { PersonalPath } from "@agon/api/Visitor.ts"
import type { Effect } from "effect"
import type { Feed } from "../html/atom.ts"
import type { Html } from "../html/Html.ts"
import type { Page } from "../html/layout.ts"
import type { Places } from "../html/links.ts"
import type { IslandName } from "../islands.ts"
import type { Form, Tried } from "./form/Form.ts"
import type { Names } from "./Names.ts"

export interface Asked {
  readonly client: Client
  /** The addresses that its links to seasons, matches and models lead to. */
  readonly at: Places
  /** Parts of the path, each a plain name: neither empty nor `..`. */
  readonly params: Readonly<Record<string, string>>
  /** Parameters that the page knows and that have a value. */
  readonly query: Readonly<Record<string, string>>
  /** The tag that loads an island's script; nothing where it is not built. */
  readonly script: (island: IslandName) => Html
  /** The address of an island's script, for one that another loads; empty where it is not built. */
  readonly file: (island: IslandName) => string
  readonly names: Names
  /** The origin of the bucket that signed uploads go to; undefined where the service keeps files itself. */
  readonly objects: string | undefined
  /** The origin under which people reach the pages, without a slash at the end: in commands that name the service. */
  readonly origin: string
}

/** The same for everybody, and kept. Fails with a refusal of the API, which is shown as a page of its status. */
export interface SharedRoute {
  readonly path: `/${string}`
  readonly query: ReadonlyArray<string>
  /** The parameters without values that make no other page, so that each page is kept once. */
  readonly canonical?: (query: Asked["query"]) => Asked["query"]
  readonly render: (asked: Asked) => Effect.Effect<Page, unknown>
}

/** The sources of a personal page; `client` reads as the visitor. */
export interface AskedByOwner extends Asked {
  /** The form that the visitor has posted and the API has refused. */
  readonly tried?: Tried
}

/**
 * A page of the visitor whose session it is; without one the address shows the way to sign in, which leads back to it. Its forms are posted to
 * the address itself (Form.ts).
 */
export interface PersonalRoute {
  readonly path: PersonalPath
  readonly query?: ReadonlyArray<string>
  readonly forms?: ReadonlyArray<Form>
  /** To a visitor without a session the address is one that does not exist, and not one that a sign-in would open. */
  readonly hides?: true
  readonly own: (asked: AskedByOwner) => Effect.Effect<Page, unknown>
}

/** Where a file lies that the site passes on. */
export interface Source {
  /** Signed by the service. */
  readonly address: string
  readonly content_type: string
  readonly max_bytes: number
}

/** A file at another origin, the same for everybody and for good. Takes no parameters. */
export interface FileRoute {
  readonly path: `/${string}`
  readonly source: (asked: Pick<Asked, "client" | "params">) => Effect.Effect<Source, unknown>
}

/** An Atom feed, the same for everybody, and kept like a page. Takes no parameters. */
export interface FeedRoute {
  readonly path: `/${string}`
  readonly feed: (asked: Pick<Asked, "client" | "params">) => Effect.Effect<Feed, unknown>
}

/** A picture that pages name for previews of links, the same for everybody, as a PNG; kept like a page. Takes no parameters. */
export interface PictureRoute {
  readonly path: `/${string}`
  readonly picture: (asked: Pick<Asked, "client" | "params">) => Effect.Effect<Buffer, unknown>
}

/** A file at another origin for the visitor whose session it is. */
export interface PersonalFileRoute {
  readonly path: PersonalPath
  readonly ownSource: FileRoute["source"]
}

export type Route = SharedRoute | PersonalRoute | FileRoute | PersonalFileRoute | FeedRoute | PictureRoute

/** The methods of an address; where there is no page, and of the site's own files, those of a page without forms. */
export const methodsOf = (route: Route | undefined): ReadonlyArray<string> => {
  if (route !== undefined && ("source" in route || "ownSource" in route)) return ["GET"]
  return route !== undefined && "own" in route && route.forms !== undefined ? ["GET", "HEAD", "POST"] : ["GET", "HEAD"]
}
