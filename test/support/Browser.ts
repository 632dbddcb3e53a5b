/**
 * A browser as far as signing in needs one: it keeps cookies by origin and path, follows redirects
 * when told, and fills in a form.
 */
import { setTimeout } from "node:timers/promises"

interface Cookie {
  readonly name: string
  readonly value: string
  readonly path: string
}

export interface Page {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export class Browser {
  private readonly jars = new Map<string, Map<string, Cookie>>()

  /** The value of a cookie that the browser would send to the origin's front page. */
  cookie(origin: string, name: string): string | undefined {
    return [...this.jarOf(origin).values()].find((cookie) => cookie.name === name)?.value
  }

  /** One request, no redirects; a relative address is one of `base`. */
  async request(address: string, init: RequestInit = {}, base?: string): Promise<Page> {
    const url = new URL(address, base)
    const cookies = [...this.jarOf(url.origin).values()].filter(({ path }) => url.pathname.startsWith(path))
    const headers = new Headers(init.headers)
    if (cookies.length > 0 && !headers.has("cookie")) headers.set("cookie", cookies.map(({ name, value }) => `${name}=${value}`).join("; "))
    const response = await fetch(url, { ...init, headers, redirect: "manual" })
    for (const line of response.headers.getSetCookie()) this.keep(url, line)
    return { url: url.href, status: response.status, headers: response.headers, text: await response.text() }
  }

  /** Follows redirects until a page, or until `stop` says that the next address is not to be asked. */
  async follow(address: string, stop: (url: URL) => boolean = () => false): Promise<Page> {
    let page = await this.request(address)
    for (let hops = 0; page.headers.has("location"); hops++) {
      if (hops === 20) throw new Error(`Redirects without end at ${page.url}`)
      const next = new URL(page.headers.get("location")!, page.url)
      if (stop(next)) return page
      page = await this.request(next.href)
    }
    return page
  }

  /** Posts the form of a page back to where it came from. */
  submit(page: Page, fields: Record<string, string>): Promise<Page> {
    return this.request(page.url, { method: "POST", body: new URLSearchParams(fields) })
  }

  private jarOf(origin: string) {
    const jar = this.jars.get(origin) ?? new Map<string, Cookie>()
    this.jars.set(origin, jar)
    return jar
  }

  private keep(url: URL, line: string) {
    const [pair = "", ...attributes] = line.split(";").map((part) => part.trim())
    const of = new Map(attributes.map((attribute) => attribute.split("=")).map(([key = "", text = ""]) => [key.toLowerCase(), text]))
    const [name = "", ...value] = pair.split("=")
    const path = of.get("path") ?? "/"
    const gone = of.get("max-age") === "0" || (of.has("expires") && Date.parse(of.get("expires")!) <= Date.now())
    const jar = this.jarOf(url.origin)
    if (gone) jar.delete(`${name} ${path}`)
    else jar.set(`${name} ${path}`, { name, value: value.join("="), path })
  }
}

/**
 * Signs in through the development provider and ends where the sign-in leads. On a busy machine the provider
 * may be late, and on a fast one sign-ins may come sooner than their rate lets them: it is tried again.
 */
export const signIn = async (browser: Browser, origin: string, login: string, query = "", tries = 5): Promise<Page> => {
  const again = async (refused: Page) => {
    if (refused.status === TOO_MANY) await setTimeout(ALL_OF_A_SIGN_IN_MS)
    return signIn(browser, origin, login, query, tries - 1)
  }
  const page = await browser.follow(`${origin}/v1/auth/dev${query}`)
  if ((isLate(page.url) || page.status === TOO_MANY) && tries > 1) return again(page)
  const after = await browser.submit(page, { login })
  const callback = await browser.follow(
    new URL(after.headers.get("location")!, after.url).href,
    ({ pathname }) => !isPartOfSignIn(pathname)
  )
  return (isLate(callback.headers.get("location")) || callback.status === TOO_MANY) && tries > 1 ? again(callback) : callback
}

const TOO_MANY = 429
/** Refused requests say when one is let through again; a sign-in has several. */
const ALL_OF_A_SIGN_IN_MS = 1000

const isLate = (address: string | null) => address?.includes("sign_in_error=provider_failed") === true

const isPartOfSignIn = (path: string) => path.startsWith("/dev-idp") || path.startsWith("/v1/auth/")
