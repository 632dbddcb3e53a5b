/** Looks at the files before anything is sent, since a version that is refused for them costs a wait of minutes. */
import { onnxFault } from "./onnx.ts"

/** As the service takes it. */
const MANIFEST_BYTES_MAX = 65_536

const count = (n: number): string => n.toLocaleString("en")

interface Both {
  readonly weights: File
  readonly manifest: File
}

/** Fails where the file cannot be read. */
const isJson = async (file: File): Promise<boolean> => {
  const text = await file.text()
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * A sentence that says what to mend, or undefined. `largest` are the bytes that both files may have together, as far as they are known. A
 * browser does not read a file that was written anew, or removed, since it was chosen.
 */
export const faultIn = (files: Both, largest: number | undefined): Promise<string | undefined> =>
  faultOf(files, largest).catch(() => "A file cannot be read: it was changed or removed since it was chosen. Choose both files again.")

const faultOf = async ({ manifest, weights }: Both, largest: number | undefined): Promise<string | undefined> => {
  for (const { name, size } of [weights, manifest]) if (size === 0) return `${name} is empty. Choose another file.`
  const both = weights.size + manifest.size
  if (largest !== undefined && both > largest)
    return `Both files together may have ${count(largest)} bytes at most, and these have ${count(both)}. Choose smaller ones.`
  if (manifest.size > MANIFEST_BYTES_MAX)
    return `The manifest may have ${count(MANIFEST_BYTES_MAX)} bytes at most, and ${manifest.name} has ${count(manifest.size)}. Choose the JSON file that describes the weights.`
  if (!(await isJson(manifest))) return `${manifest.name} is no JSON. Choose the manifest, the JSON file that describes the weights.`
  if (weights.size <= MANIFEST_BYTES_MAX && (await isJson(weights))) return `${weights.name} is JSON and no ONNX model. Choose the weights.`
  return onnxFault(weights)
}
