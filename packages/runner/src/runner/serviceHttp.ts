/** The client with which a runner asks its service: answers have an end. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"

/**
 * The longest answer, several times one with 256 matches of eight seats, their boards and signed links.
 * A longer one fails like one that breaks off.
 */
export const ANSWER_BYTES_MAX = 64 * 1024 ** 2

export const serviceHttp = NodeHttpClient.layerUndiciOptions({ maxResponseSize: ANSWER_BYTES_MAX })
