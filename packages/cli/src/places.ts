/**
 * The runner is a program of its own, which `agon runner` starts by its address. The packed tool has it
 * elsewhere: scripts/packTool.ts takes scripts/packedRunner.ts for this module.
 */
export const runnerProgram = new URL(import.meta.resolve("@agon/runner/main.ts"))
