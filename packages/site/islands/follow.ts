/**
 * `<agon-follow>`: asks for its own page again every few seconds while it is looked at, and shows what has changed. The service renders;
 * so the page is the same with and without scripts. With the attribute `settled` nothing will change. Where it has no answer twice on end,
 * as after a session's end, it says since when, below what it last heard.
 */
const EVERY_MS = 3_000
const WAIT_MS = 10_000
/** A busy service is asked less often. */
const LATER_MS = 15_000
const MISSES_MAX = 2

class Follow extends HTMLElement {
  #left = new AbortController()
  #heard = new Date()
  #misses = 0
  readonly #silence = document.createElement("p")

  connectedCallback(): void {
    this.#left = new AbortController()
    this.#after(EVERY_MS)
  }

  disconnectedCallback(): void {
    this.#left.abort()
  }

  #after(wait_ms: number): void {
    if (this.hasAttribute("settled") || this.#left.signal.aborted) return
    const timer = setTimeout(() => void this.#look(), wait_ms)
    this.#left.signal.addEventListener("abort", () => clearTimeout(timer), { once: true })
  }

  async #look(): Promise<void> {
    if (document.hidden) return this.#after(EVERY_MS)
    const renewed = await this.#renewed()
    if (this.#left.signal.aborted) return
    if (renewed) this.#heard = new Date()
    this.#misses = renewed ? 0 : this.#misses + 1
    if (renewed) this.#silence.remove()
    else if (this.#misses === MISSES_MAX) this.#tell()
    this.#after(renewed ? EVERY_MS : LATER_MS)
  }

  /** A session that has ended is begun again by the link, which leads to the sign-in. */
  #tell(): void {
    const again = Object.assign(document.createElement("a"), { href: location.href, textContent: "Load the page again" })
    this.#silence.setAttribute("role", "status")
    const at = `${this.#heard.toISOString().slice(11, 19)} UTC`
    this.#silence.replaceChildren(`This is as it was at ${at}: nothing has been heard since. `, again)
    this.append(this.#silence)
  }

  async #renewed(): Promise<boolean> {
    try {
      const signal = AbortSignal.any([this.#left.signal, AbortSignal.timeout(WAIT_MS)])
      const answer = await fetch(location.pathname + location.search, { signal, credentials: "same-origin", redirect: "error" })
      if (!answer.ok) return false
      const page = new DOMParser().parseFromString(await answer.text(), "text/html")
      const [now, then] = [page.querySelector("agon-follow"), this.firstElementChild]
      const news = now?.firstElementChild
      if (now === null || news == null || then === null) return false
      // Only what has changed is read aloud; a link that has the focus keeps it otherwise.
      if (news.innerHTML !== then.innerHTML) then.replaceChildren(...news.childNodes)
      this.toggleAttribute("settled", now.hasAttribute("settled"))
      return true
    } catch {
      return false
    }
  }
}

customElements.define("agon-follow", Follow)
