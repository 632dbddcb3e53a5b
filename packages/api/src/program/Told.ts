/** An end that its message explains, in one sentence that says what to mend: logs have no stack of it. */
export class Told extends Error {}
