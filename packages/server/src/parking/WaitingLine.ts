/**
 * The parked requests of one kind, in the order in which they asked. Signals are numbered, and each request
 * has the number of the last one before it asked. Only later signals can wake it, so if the first of the line
 * is not to be woken, no other is.
 *
 * A request enters from the end and passes those that asked after it, which are few, since requests park soon
 * after they asked. Leaving takes the same time however many wait.
 */
export interface InLine {
  readonly since: number
  previous?: this | undefined
  next?: this | undefined
}

export class WaitingLine<A extends InLine> {
  #first: A | undefined
  #last: A | undefined

  get first(): A | undefined {
    return this.#first
  }

  enter(one: A): void {
    let before = this.#last
    while (before !== undefined && before.since > one.since) before = before.previous
    const after = before === undefined ? this.#first : before.next
    one.previous = before
    one.next = after
    if (before === undefined) this.#first = one
    else before.next = one
    if (after === undefined) this.#last = one
    else after.previous = one
  }

  /** Somebody who is in this line. */
  leave(one: A): void {
    if (one.previous === undefined) this.#first = one.next
    else one.previous.next = one.next
    if (one.next === undefined) this.#last = one.previous
    else one.next.previous = one.previous
    one.previous = undefined
    one.next = undefined
  }
}
