/**
 * Settings that change how a statement reads values as text, or what a transaction sees, as statements of the service
 * take them to be. A server, database or role of an operator's own may have others by default: where it writes dates
 * as 30.11.2026, the days of datasets were not found.
 */
export const SESSION = {
  DateStyle: "ISO",
  IntervalStyle: "postgres",
  TimeZone: "UTC",
  bytea_output: "hex",
  default_transaction_isolation: "read committed"
}
