/** The runner keys that an account has made, which stop with it while it is suspended. */
export default `
CREATE INDEX runner_key_creator ON runner_key (created_by) WHERE created_by IS NOT NULL
`
