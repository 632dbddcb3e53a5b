/**
 * The most that a model's instance may hold at the table, in bytes: the file's copy, the parsed file, its tensors and their
 * packed copies stay under five times the weights, and 64 MiB carry the runtime itself (16 MiB at start) and the
 * activations. It is no rule of a game and stands here because the service that hands out matches and the sandbox that
 * examines and plays models must agree on it, and the games are what both of them know.
 */
export const memoryCapOf = (weights_bytes: number): number => 5 * weights_bytes + 64 * 1_048_576
