/**
 * The token in the List-Unsubscribe address of a mail: the id of the account's mails, and its HMAC
 * with their key. It works without a session and for as long as the account exists, and does
 * nothing but end these mails.
 */
import { createHmac } from "node:crypto"
import { isUuid } from "@agon/api/Wire.ts"
import { sameSecret } from "../../http/sameSecret.ts"

const macOf = (id: string, secret: string): string => createHmac("sha256", secret).update(`unsubscribe ${id}`).digest("base64url")

export const unsubscribeToken = (id: string, secret: string): string => `${id}.${macOf(id, secret)}`

export const idOf = (token: string): string | undefined => {
  const id = token.slice(0, token.indexOf("."))
  return isUuid(id) ? id : undefined
}

export const isSigned = (token: string, id: string, secret: string): boolean => sameSecret(token, unsubscribeToken(id, secret))
