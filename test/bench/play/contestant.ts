/** Something that plays matches with so many runners until it is stopped, and counts those whose results are durable. */
export interface Contestant {
  readonly name: string
  readonly start: (runners: number) => Promise<Playing>
}
export interface Playing {
  readonly cycles: () => number
  readonly stop: () => Promise<void>
}
