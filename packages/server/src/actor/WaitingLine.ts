/**
 * Requests of one kind that wait, sorted by the number of the last signal before each asked, and among equals by when they came. The
 * first has waited through most signals: where it was signalled by none, no other was. Entering walks back over those that asked later and
 * were here first, which are few, since requests park soon after they asked; leaving takes the same time however many wait.
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
