/** While it runs the log of administration takes no row; one test at a time and database. */
import { Effect } from "effect"
import { rows } from "./Administration.ts"

export const withoutLog = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.andThen(
      rows`CREATE OR REPLACE FUNCTION refuse_audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no log''; END'`,
      rows`CREATE TRIGGER no_audit BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION refuse_audit()`
    ),
    () => effect,
    () => rows`DROP TRIGGER no_audit ON audit`
  )
