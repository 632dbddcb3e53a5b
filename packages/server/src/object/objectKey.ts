/**
 * Keys are lower-case paths of unreserved characters: the same text in a URL, in an S3 signature and on a disk, so that
 * the signed text is the opened path without any encoding, and no segment can be `..` or hidden.
 */
const KEY = /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/

/** S3 allows 1,024; a directory allows 255 a segment. */
const KEY_MAX_LENGTH = 240

export const isObjectKey = (key: string): boolean => key.length <= KEY_MAX_LENGTH && KEY.test(key)

/** Keys are made by the service itself, so a bad one is a defect and not an expected error. */
export const assertObjectKey = (key: string): string => {
  if (!isObjectKey(key)) throw new Error(`not an object key: ${JSON.stringify(key)}`)
  return key
}
