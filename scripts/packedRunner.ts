/** packages/cli/src/places.ts for the packed tool. */
export const runnerProgram = new URL("./runner.js", import.meta.url)
