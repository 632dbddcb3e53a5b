/**
 * Whom a login of AGON_ADMIN has made an administrator (account/signin/administrator.ts): the subject at the provider, who keeps
 * it when the login passes to somebody else. Administrators from before keep the logins that they have here.
 */
export default `
-- login: in lower case
CREATE TABLE admin_login (
  provider text NOT NULL,
  login text NOT NULL,
  subject text NOT NULL,
  PRIMARY KEY (provider, login)
);
INSERT INTO admin_login (provider, login, subject)
SELECT i.provider, lower(i.login), i.subject FROM account a JOIN identity i ON i.account_id = a.id WHERE a.admin
ORDER BY i.created_at, i.subject ON CONFLICT DO NOTHING
`
