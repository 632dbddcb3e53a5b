/** Answers of this test that no route declares. */
export const faults: Array<string> = []
