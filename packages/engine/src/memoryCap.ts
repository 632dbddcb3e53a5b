/**
 * The memory cap of a model's instance, in bytes: the file's copy, the parsed file, its tensors and their packed copies
 * stay under five times the weights, and 64 MiB are for the runtime itself (16 MiB at start) and the activations. It is not
 * a rule of a game; it is here because the service that leases matches and the sandbox that examines and plays models must
 * agree on it, and both import this package.
 */
export const memoryCapOf = (weights_bytes: number): number => 5 * weights_bytes + 64 * 1_048_576
