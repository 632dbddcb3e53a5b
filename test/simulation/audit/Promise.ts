/** A promise of the season, and the proof that it was broken. */
export class BrokenPromise extends Error {
  readonly promise: string
  constructor(promise: string, detail: unknown) {
    super(`broken promise: ${promise} ${JSON.stringify(detail)}`)
    this.promise = promise
  }
}

/** `detail` is only looked at where the promise is broken. */
export const must = (held: boolean, promise: string, ...detail: ReadonlyArray<unknown>): void => {
  if (!held) throw new BrokenPromise(promise, detail)
}

export const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6
