/** Versions of models (http-api.md 4.1 and 4.4). */
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Session, VersionOwner } from "../Authorization.ts"
import { Rate, Shared } from "../Boundary.ts"
import * as page from "../Page.ts"
import { Uuid } from "../Wire.ts"
import { OwnVersion, Version } from "./Version.ts"

export const Candidates = page.listOf("candidates", OwnVersion)
export type Candidates = typeof Candidates.Type

const params = { id: Uuid }

export class VersionGroup extends HttpApiGroup.make("version").add(
  /** In contention, superseded or disabled, in a public season; anything else is 404 `not_found`. */
  HttpApiEndpoint.get("version", "/v1/versions/:id", { params, success: Version }).middleware(Shared),
  /** The caller's own, in any state. */
  HttpApiEndpoint.get("ownVersion", "/v1/me/versions/:id", { params, success: OwnVersion })
    .middleware(VersionOwner)
    .annotate(Rate, "session"),
  /** The caller's versions in admission or trial, newest first. */
  HttpApiEndpoint.get("candidates", "/v1/me/candidates", { query: page.query, success: Candidates })
    .middleware(Session)
    .annotate(Rate, "session")
) {}
