/** Versions of models (docs/contract.md#versions). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Session, VersionOwner } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import { readable } from "../Name.ts"
import * as page from "../Page.ts"
import { twins } from "../twins.ts"
import { Uuid } from "../Wire.ts"
import { NoteTooLong, NoteWordListed } from "./refusals.ts"
import { OwnVersion, Version } from "./Version.ts"

export const Candidates = page.listOf("Candidates", "candidates", OwnVersion)
export type Candidates = typeof Candidates.Type

export const VersionPatch = Schema.Struct({ note: Schema.NullOr(Schema.String.check(readable)) }).annotate({ identifier: "VersionPatch" })

const params = { id: Uuid }

/** In contention, superseded or disabled, in a public season; anything else is 404 `not_found`. */
const [version, privateVersion] = twins("version", "/versions/:id", { params, success: Version })

export class VersionGroup extends HttpApiGroup.make("version").add(
  version,
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
  privateVersion,
  /** The caller's versions in admission or trial, newest first. */
  HttpApiEndpoint.get("candidates", "/v1/me/candidates", { query: page.query, success: Candidates })
    .middleware(Session)
    .annotate(Rate, "session")
) {}
