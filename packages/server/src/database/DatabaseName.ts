/** How sentences about the database name it, so that nobody is told of a setting that he has not made. */
import { Context, Effect } from "effect"
import type { SettingsShape } from "../config/Settings.ts"
import { refuse } from "../config/StartRefused.ts"

export class DatabaseName extends Context.Reference<string>("agon/DatabaseName", { defaultValue: () => "DATABASE_URL" }) {}

export const databaseName = ({ database_url }: Pick<SettingsShape, "database_url">): string =>
  database_url === undefined ? "the embedded database" : "DATABASE_URL"

/** Fails with a refusal of the start that begins with the database's name. */
export const refuseDatabase = (fault: string) => Effect.flatMap(DatabaseName, (name) => Effect.fail(refuse(`${name}: ${fault}`)))
