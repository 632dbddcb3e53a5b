/**
 * `<agon-follow>`: asks for its own page again every few seconds while it is looked at, and shows what has changed. The service renders;
 * so the page is the same with and without scripts. With the attribute `settled` nothing will change.
 */
const EVERY_MS = 3_000
const WAIT_MS = 10_000
/** A busy service is asked less often. */
const LATER_MS = 15_000

class Follow extends HTMLElement {
  #left = new AbortController()

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
    this.#after((await this.#renewed()) ? EVERY_MS : LATER_MS)
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
