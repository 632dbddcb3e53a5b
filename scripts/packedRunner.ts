/** What packages/cli/src/places.ts says, for the packed tool. */
export const runnerProgram = new URL("./runner.js", import.meta.url)
