/** Who may enter a season, and who administers it (docs/contract.md#participants). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { NamedSeason, PlatformAdmin, SeasonAdmin } from "../Authorization.ts"
import { UnknownProvider } from "../account/api.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import { compared } from "../Name.ts"
import * as page from "../Page.ts"
import { NotFound } from "../Problem.ts"
import { removes } from "../Removal.ts"
import { Id, Instant, SearchTerm, text } from "../Wire.ts"

/** `username` is that of the account with this login; null until there is one. */
export const Participant = Schema.Struct({
  id: Id,
  login: Schema.String,
  provider: Schema.String,
  username: Schema.NullOr(Schema.String),
  added_at: Instant
}).annotate({ identifier: "Participant" })
export type Participant = typeof Participant.Type

export const Participants = page.listOf("Participants", "participants", Participant)
export type Participants = typeof Participants.Type

/** The most logins in one request. */
const LOGINS_MAX = 1_000
const Login = compared(255)

/** `login` is a part of a login, in any case. */
const rosterQuery = { login: Schema.optionalKey(SearchTerm), ...page.query }

export const AddParticipants = Schema.Struct({
  logins: Schema.Array(Login).check(Schema.isBetweenLength(1, LOGINS_MAX)),
  /** Default: the deployment's first sign-in provider. */
  provider: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "AddParticipants" })
export type AddParticipants = typeof AddParticipants.Type

/** The rows of the named logins, in that order, including existing ones. */
export const Added = Schema.Struct({ participants: Schema.Array(Participant) }).annotate({ identifier: "AddedParticipants" })

export const SeasonAdministrator = Schema.Struct({
  username: Schema.String,
  display_name: Schema.String,
  added_at: Instant
}).annotate({ identifier: "SeasonAdministrator" })
export type SeasonAdministrator = typeof SeasonAdministrator.Type

export const SeasonAdministrators = page.listOf("SeasonAdministrators", "admins", SeasonAdministrator)
export type SeasonAdministrators = typeof SeasonAdministrators.Type

export const AppointAdmin = Schema.Struct({ username: text(1, 100) }).annotate({ identifier: "AppointAdministrator" })

const params = { game: Schema.String, slug: Schema.String }
const participants = "/v1/games/:game/seasons/:slug/participants"
const admins = "/v1/games/:game/seasons/:slug/admins"

export class RosterGroup extends HttpApiGroup.make("roster")
  .add(
    HttpApiEndpoint.get("participants", participants, { params, query: rosterQuery, success: Participants }).annotate(Rate, "session"),
    HttpApiEndpoint.post("addParticipants", participants, {
      params,
      payload: AddParticipants,
      success: Added.pipe(HttpApiSchema.status(201)),
      error: UnknownProvider
    })
      .middleware(JsonBody)
      .annotate(Rate, "write"),
    HttpApiEndpoint.delete("removeParticipant", participants, { params, ...removes("id"), success: Participant, error: NotFound })
      .middleware(JsonBody)
      .annotate(Rate, "write"),
    HttpApiEndpoint.get("seasonAdmins", admins, { params, query: page.query, success: SeasonAdministrators }).annotate(Rate, "session")
  )
  .middleware(SeasonAdmin) {}

/** Only the platform's administrators choose a season's administrators. */
export class SeasonAdminsGroup extends HttpApiGroup.make("seasonAdmins")
  .add(
    HttpApiEndpoint.post("appointAdmin", admins, {
      params,
      payload: AppointAdmin,
      success: SeasonAdministrator.pipe(HttpApiSchema.status(201)),
      error: NotFound
    }),
    HttpApiEndpoint.delete("dismissAdmin", admins, { params, ...removes("username"), success: SeasonAdministrator, error: NotFound })
  )
  .middleware(JsonBody)
  .middleware(NamedSeason)
  .middleware(PlatformAdmin)
  .annotateEndpoints(Rate, "write") {}
