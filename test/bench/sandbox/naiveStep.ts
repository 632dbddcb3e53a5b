/**
 * One move in the manner of services that start a program per step: weights from a file, the observation from standard
 * input, the action to standard output. Written for the bench alone, with the runtime's ordinary front end.
 *
 *   node naiveStep.ts WEIGHTS planes rows cols < observation
 */
import { readFileSync } from "node:fs"
import * as ort from "onnxruntime-web"

const [weights, ...dims] = process.argv.slice(2)
ort.env.wasm.numThreads = 1
const session = await ort.InferenceSession.create(readFileSync(weights!), { executionProviders: ["wasm"] })
const input = readFileSync(0)
const observation = new Float32Array(input.buffer.slice(input.byteOffset, input.byteOffset + input.byteLength))
const { logits } = await session.run({ obs: new ort.Tensor("float32", observation, [1, ...dims.map(Number)]) })
const values = logits!.data as Float32Array
process.stdout.write(String(values.indexOf(Math.max(...values))))
process.exit(0)
