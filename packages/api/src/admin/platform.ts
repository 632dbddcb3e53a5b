/**
 * Platform administrators' routes besides moderation: the log, accounts and the word list
 * (docs/contract.md#administration).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { NamedAccount, PlatformAdmin } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import * as page from "../Page.ts"
import { NotFound } from "../Problem.ts"
import { AuditLog } from "./Audit.ts"
import { EditUser, OwnAdmin, User, Users, usersQuery } from "./User.ts"
import { AddWord, Word, Words } from "./Word.ts"

export class PlatformGroup extends HttpApiGroup.make("platform")
  .add(
    /** Of every season and of the platform itself. */
    HttpApiEndpoint.get("audit", "/v1/admin/audit", { query: page.query, success: AuditLog }),
    HttpApiEndpoint.get("users", "/v1/admin/users", { query: usersQuery, success: Users }),
    /**
     * Suspending ends every session of the account, and refuses its writes in flight. Runner keys that it has
     * made are out of force while it is suspended; the lists of keys name their creators.
     */
    HttpApiEndpoint.patch("editUser", "/v1/admin/users/:username", {
      params: { username: Schema.String },
      payload: EditUser,
      success: User,
      error: OwnAdmin
    })
      .middleware(JsonBody)
      .middleware(NamedAccount),
    HttpApiEndpoint.get("words", "/v1/admin/words", { query: page.query, success: Words }),
    /** In force for every later text; adding an existing word answers its row. */
    HttpApiEndpoint.post("addWord", "/v1/admin/words", { payload: AddWord, success: Word.pipe(HttpApiSchema.status(201)) }).middleware(
      JsonBody
    ),
    HttpApiEndpoint.delete("removeWord", "/v1/admin/words/:word", { params: { word: Schema.String }, success: Word, error: NotFound })
  )
  .middleware(PlatformAdmin)
  .annotateEndpoints(Rate, "session") {}
