/** An account that nobody knows yet, with a session by the token `<name>-token`. */
import { rows } from "./Administration.ts"

export const newcomer = (name: string, display_name = name) =>
  rows`WITH a AS (
      INSERT INTO account (id, username, display_name, created_at) VALUES (gen_random_uuid(), ${name}, ${display_name}, now()) RETURNING id)
    INSERT INTO session (id, account_id, token_sha256, created_at, last_seen_at, expires_at)
    SELECT gen_random_uuid(), id, sha256(convert_to(${`${name}-token`}, 'UTF8')), now(), now(), '2099-01-01' FROM a`
