/** Sign-in, the caller's own account and its sessions (docs/contract.md#accounts-and-sessions). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Session } from "../Authorization.ts"
import { Cached, JsonBody, Rate } from "../Boundary.ts"
import { name, readable } from "../Name.ts"
import * as page from "../Page.ts"
import { Problem } from "../Problem.ts"
import { NoteWordListed } from "../version/refusals.ts"
import { Id, Instant, Ladder, text } from "../Wire.ts"

export class UnknownProvider extends Problem<UnknownProvider>()("unknown_provider", 404, "No such sign-in provider") {}

export const Provider = Schema.Struct({ slug: Schema.String, label: Schema.String }).annotate({ identifier: "Provider" })
export type Provider = typeof Provider.Type

export const Account = Schema.Struct({
  id: Id,
  username: Schema.String,
  display_name: Schema.String,
  /** Empty where the competitor has written none. */
  bio: Schema.String,
  admin: Schema.Boolean,
  season_admin: Schema.Array(Schema.Struct({ game: Schema.String, season: Schema.String })),
  identities: Schema.Array(Schema.Struct({ provider: Schema.String, login: Schema.String })),
  created_at: Instant
}).annotate({ identifier: "Account" })
export type Account = typeof Account.Type

export const AccountPatch = Schema.Struct({
  display_name: Schema.optionalKey(name(64)),
  bio: Schema.optionalKey(text(0, 500).check(readable))
}).annotate({ identifier: "AccountPatch" })
export type AccountPatch = typeof AccountPatch.Type

export const SessionRow = Schema.Struct({
  id: Id,
  created_at: Instant,
  last_seen_at: Instant,
  expires_at: Instant,
  user_agent: Schema.NullOr(Schema.String),
  /** Whether it is the session of this request. */
  current: Schema.Boolean
}).annotate({ identifier: "Session" })
export type SessionRow = typeof SessionRow.Type

export const Sessions = page.listOf("Sessions", "sessions", SessionRow)
export type Sessions = typeof Sessions.Type

/** The public page of a competitor: their models, and where those stand in public seasons. */
export const Profile = Schema.Struct({
  username: Schema.String,
  display_name: Schema.String,
  bio: Schema.String,
  created_at: Instant,
  models: Schema.Array(Schema.Struct({ id: Id, name: Schema.String, game: Schema.String, retired: Schema.Boolean })),
  standings: Schema.Array(
    Schema.Struct({
      game: Schema.String,
      season: Schema.String,
      ladder: Ladder,
      rank: Schema.Int,
      rating: Schema.Finite,
      model_id: Id,
      version_id: Id
    })
  )
}).annotate({ identifier: "Profile" })
export type Profile = typeof Profile.Type

const provider = { provider: Schema.String }
const Redirect = HttpApiSchema.Empty(302)

export class AccountGroup extends HttpApiGroup.make("account").add(
  /** A plain array. */
  HttpApiEndpoint.get("authProviders", "/v1/auth-providers", { success: Schema.Array(Provider) }).middleware(Cached),
  /** `return_to` is a path on this origin; anything else is ignored. */
  HttpApiEndpoint.get("signIn", "/v1/auth/:provider", {
    params: provider,
    query: { return_to: Schema.optionalKey(Schema.String) },
    success: Redirect,
    error: UnknownProvider
  }).annotate(Rate, "signin"),
  /** Ends at `return_to` with a session, or at `/?sign_in_error=<code>` without one. */
  HttpApiEndpoint.get("signInCallback", "/v1/auth/:provider/callback", {
    params: provider,
    success: Redirect,
    error: UnknownProvider
  }).annotate(Rate, "signin"),
  HttpApiEndpoint.get("me", "/v1/me", { success: Account }).middleware(Session).annotate(Rate, "read"),
  HttpApiEndpoint.patch("editMe", "/v1/me", { payload: AccountPatch, success: Account, error: NoteWordListed })
    .middleware(JsonBody)
    .middleware(Session)
    .annotate(Rate, "write"),
  HttpApiEndpoint.get("sessions", "/v1/sessions", { query: page.query, success: Sessions }).middleware(Session).annotate(Rate, "session"),
  /** Answers the ended session. */
  HttpApiEndpoint.delete("revokeSession", "/v1/sessions/:sid", { params: { sid: Schema.String }, success: SessionRow })
    .middleware(Session)
    .annotate(Rate, "write"),
  HttpApiEndpoint.delete("signOut", "/v1/session", { success: HttpApiSchema.NoContent }).middleware(Session).annotate(Rate, "write"),
  HttpApiEndpoint.get("profile", "/v1/profiles/:username", { params: { username: Schema.String }, success: Profile }).middleware(Cached)
) {}
