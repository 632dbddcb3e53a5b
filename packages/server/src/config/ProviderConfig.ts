/** A way to sign in, as it is configured (AUTH_PROVIDERS), and the ready-made ones. */

interface Base {
  readonly slug: string
  readonly label: string
  readonly client_id: string
  readonly client_secret: string
  readonly scopes: ReadonlyArray<string>
  /** The claim, or field of the user's record, that becomes the login. */
  readonly login_claim: string
  /** Only for requests from this machine; any other request is told that there is no such provider. */
  readonly this_machine_only?: boolean
}

/** OpenID Connect: everything else is discovered from the issuer. */
export interface OidcProvider extends Base {
  readonly kind: "oidc"
  readonly issuer: string
}

/** Plain OAuth 2: the user's record is fetched from an address of the provider's. */
export interface Oauth2Provider extends Base {
  readonly kind: "oauth2"
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly user_endpoint: string
  /** The field of that record that never changes. */
  readonly subject_claim: string
  /**
   * The expected `iss` where the provider sends one along with the code (RFC 9207); not
   * checked where this is undefined.
   */
  readonly issuer?: string
}

export type ProviderConfig = OidcProvider | Oauth2Provider

/** Presets of known providers: `{"slug": "github", "client_id": ..., "client_secret": ...}` is enough. */
export const readyMade = {
  github: {
    slug: "github",
    label: "GitHub",
    kind: "oauth2",
    issuer: "https://github.com/login/oauth",
    authorization_endpoint: "https://github.com/login/oauth/authorize",
    token_endpoint: "https://github.com/login/oauth/access_token",
    user_endpoint: "https://api.github.com/user",
    scopes: ["read:user"],
    login_claim: "login",
    subject_claim: "id"
  },
  google: {
    slug: "google",
    label: "Google",
    kind: "oidc",
    issuer: "https://accounts.google.com",
    scopes: ["openid", "email", "profile"],
    login_claim: "email"
  },
  gitlab: {
    slug: "gitlab",
    label: "GitLab",
    kind: "oidc",
    issuer: "https://gitlab.com",
    scopes: ["openid", "profile"],
    login_claim: "nickname"
  }
} as const
