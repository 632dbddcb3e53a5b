/** Accounts as platform administrators see them (docs/contract.md#accounts). */
import { Schema } from "effect"
import { Account } from "../account/api.ts"
import { NameTerm } from "../Name.ts"
import * as page from "../Page.ts"
import { Problem } from "../Problem.ts"

export class OwnAdmin extends Problem<OwnAdmin>()("own_admin", 409, "An administrator cannot put themselves out of office") {}

const { admin, created_at, display_name, identities, username } = Account.fields

/** A suspended account has no session and gets none; its entries are out of play. */
export const User = Schema.Struct({ username, display_name, admin, suspended: Schema.Boolean, identities, created_at }).annotate({
  identifier: "User"
})
export type User = typeof User.Type

/** Newest first; in a search, the exact username comes first. */
export const Users = Schema.Struct({ users: Schema.Array(User), next_cursor: page.NextCursor }).annotate({ identifier: "Users" })
export type Users = typeof Users.Type

/** `q` is the beginning of a username, a display name or a login, in any case. */
export const usersQuery = { q: Schema.optionalKey(NameTerm), ...page.query }

/** Keys left out keep their value. */
export const EditUser = Schema.Struct({
  admin: Schema.optionalKey(Schema.Boolean),
  suspended: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "EditUser" })
export type EditUser = typeof EditUser.Type
