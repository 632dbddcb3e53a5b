/** A page of the site: its address, the parameters that it knows, and how it is made from reads of the API. */
import type { Client, Credential } from "@agon/api/Client.ts"
import type { Effect } from "effect"
import type { Html } from "../html/Html.ts"
import type { Page } from "../html/layout.ts"
import type { IslandName } from "../islands.ts"

export interface Asked {
  readonly client: Client
  /** Parts of the path, each a plain name: neither empty nor `..`. */
  readonly params: Readonly<Record<string, string>>
  /** Parameters that the page knows and that have a value. */
  readonly query: Readonly<Record<string, string>>
  /** The tag that loads an island's script; nothing where it is not built. */
  readonly script: (island: IslandName) => Html
}

/** The client of a signed-in visitor, for pages that are theirs alone. */
export type ClientAs = (credential: Credential) => Effect.Effect<Client>

interface AnyRoute {
  readonly path: `/${string}`
}

/** The same for everybody, and kept. Fails with a refusal of the API, which is shown as a page of its status. */
export interface SharedRoute extends AnyRoute {
  readonly query: ReadonlyArray<string>
  readonly render: (asked: Asked) => Effect.Effect<Page, unknown>
}

/** Of the visitor whose session it is; `session` is undefined without one. */
export interface PersonalRoute extends AnyRoute {
  readonly own: (asked: {
    readonly client: Client
    readonly session: string | undefined
    readonly as: ClientAs
  }) => Effect.Effect<Page, unknown>
}

export type Route = SharedRoute | PersonalRoute
