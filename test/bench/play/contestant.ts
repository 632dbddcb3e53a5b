/**
 * Something that plays matches with so many runners until it is stopped, and counts
 * those whose results are durable.
 */
export interface Contestant {
  readonly name: string
  /** The process whose time counts as Node's; this one where it is not given. */
  readonly pid?: number
  readonly start: (runners: number) => Promise<Playing>
}
export interface Playing {
  readonly cycles: () => number
  readonly stop: () => Promise<void>
}
