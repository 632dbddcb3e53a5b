/** Versions of models (docs/contract.md#versions). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { OptionalSession, Session, VersionOwner } from "../Authorization.ts"
import { Cached, JsonBody, Rate } from "../Boundary.ts"
import * as page from "../Page.ts"
import { Uuid } from "../Wire.ts"
import { NoteTooLong, NoteWordListed } from "./refusals.ts"
import { OwnVersion, Version } from "./Version.ts"

export const Candidates = page.listOf("Candidates", "candidates", OwnVersion)
export type Candidates = typeof Candidates.Type

export const VersionPatch = Schema.Struct({ note: Schema.NullOr(Schema.String) }).annotate({ identifier: "VersionPatch" })

const params = { id: Uuid }

export class VersionGroup extends HttpApiGroup.make("version").add(
  /** In contention, superseded or disabled, in a public season; anything else is 404 `not_found`. */
  HttpApiEndpoint.get("version", "/v1/versions/:id", { params, success: Version }).middleware(Cached),
  /** The caller's own, in any state. */
  HttpApiEndpoint.get("ownVersion", "/v1/me/versions/:id", { params, success: OwnVersion })
    .middleware(VersionOwner)
    .annotate(Rate, "session"),
  /** Its length is bounded by the rules of the version's season; `null` takes the note away. */
  HttpApiEndpoint.patch("editVersion", "/v1/versions/:id", {
    params,
    payload: VersionPatch,
    success: OwnVersion,
    error: [NoteTooLong, NoteWordListed]
  })
    .middleware(JsonBody)
    .middleware(VersionOwner)
    .annotate(Rate, "write"),
  HttpApiEndpoint.get("privateVersion", "/v1/private/versions/:id", { params, success: Version })
    .middleware(OptionalSession)
    .annotate(Rate, "session"),
  /** The caller's versions in admission or trial, newest first. */
  HttpApiEndpoint.get("candidates", "/v1/me/candidates", { query: page.query, success: Candidates })
    .middleware(Session)
    .annotate(Rate, "session")
) {}
