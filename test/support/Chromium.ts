/**
 * Debian's Chromium for tests of pages (scripts/apt-packages.txt), without a window. Everything it writes is
 * in one folder, which goes when it has ended. A page of it remembers what a strict page must not do: refused
 * by its policy, asked of another origin, failed.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { HANGS_AFTER_MS } from "./hangs.ts"
import { asTold, isPutOff, TRIES_MAX } from "./putOff.ts"

const PROGRAM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync)

/** Why there is no browser on this machine, or undefined where there is one. */
export const missingChromium = (): string | undefined =>
  PROGRAM === undefined ? "no chromium installed (see scripts/apt-packages.txt)" : undefined

const ARGUMENTS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

export class Chromium {
  readonly #browser: Browser
  readonly #folder: string

  constructor(browser: Browser, folder: string) {
    this.#browser = browser
    this.#folder = folder
  }

  static async launch(): Promise<Chromium> {
    const folder = mkdtempSync(join(tmpdir(), "agon-chromium-"))
    const browser = await chromium.launch({
      executablePath: PROGRAM!,
      chromiumSandbox: false,
      args: ARGUMENTS,
      env: { PATH: process.env["PATH"]!, HOME: folder, TMPDIR: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
      timeout: HANGS_AFTER_MS
    })
    return new Chromium(browser, folder)
  }

  /** An empty page with a profile of its own. */
  async blank(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    context.setDefaultTimeout(HANGS_AFTER_MS)
    return context.newPage()
  }

  /** A page with a profile of its own; it is asked for again while a busy service says to come back. */
  async open(address: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const page = await this.blank(options)
    const watched = new WatchedPage(page, new URL(address).origin)
    let answer = await page.goto(address)
    for (let tries = 1; isPutOff(answer?.status()); tries++) {
      if (tries > TRIES_MAX) throw new Error(`${address} was put off ${TRIES_MAX} times with ${answer?.status()}`)
      await asTold(await answer?.headerValue("retry-after"))
      watched.faults.length = 0
      answer = await page.reload()
    }
    return watched
  }

  async close(): Promise<void> {
    await this.#browser.close()
    // One of its processes may write a last file; a folder that stays behind is no fault of what was tested.
    try {
      rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    } catch (error) {
      console.log(`left behind: ${this.#folder} (${error})`)
    }
  }
}

const require = createRequire(import.meta.url)
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8")

export class WatchedPage {
  readonly page: Page
  /** Faults since the page was opened, in sentences. */
  readonly faults: Array<string> = []

  constructor(page: Page, origin: string) {
    this.page = page
    page.on("console", (message) => {
      if (message.type() === "error") this.faults.push(`console: ${message.text()}`)
    })
    page.on("pageerror", (error) => this.faults.push(`error: ${error.message}`))
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== origin) this.faults.push(`asked ${request.url()}`)
    })
  }

  /** Faults that axe finds in the page as it stands, in lines. */
  async violations(): Promise<ReadonlyArray<string>> {
    await this.page.evaluate(AXE)
    const { violations } = await this.page.evaluate(() => (globalThis as any).axe.run())
    return violations.flatMap(({ id, nodes }: any) => nodes.map(({ html }: any) => `${id}: ${html}`))
  }

  /** How wide the page is, which is more than its window's width where it scrolls sideways. */
  width(): Promise<number> {
    return this.page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth)
  }

  close(): Promise<void> {
    return this.page.context().close()
  }
}
