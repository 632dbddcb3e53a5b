/**
 * Sign-ins of devices that wait for a person, or for the device to fetch its session; both codes are hashed. `account_id` and
 * `approved` are set together by whoever decides. `device_try` has the last wrong codes that an account has typed.
 */
export default `
CREATE TABLE device_sign_in (
  device_code_sha256 bytea PRIMARY KEY,
  user_code_sha256 bytea NOT NULL UNIQUE,
  address_sha256 bytea NOT NULL,
  client_name text NOT NULL,
  account_id uuid REFERENCES account (id) ON DELETE CASCADE,
  approved boolean,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  asked_at timestamptz,
  interval_s int NOT NULL
);
CREATE INDEX device_sign_in_expiry ON device_sign_in (expires_at) INCLUDE (address_sha256);
CREATE INDEX device_sign_in_account ON device_sign_in (account_id) WHERE account_id IS NOT NULL;
CREATE TABLE device_try (
  account_id uuid PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  wrong_at timestamptz[] NOT NULL
)
`
