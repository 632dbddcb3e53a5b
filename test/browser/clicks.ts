/** Clicks of a visitor who waits as long as the service says, where a page or a form is put off. */
import { setTimeout as pause } from "node:timers/promises"
import { assert } from "@effect/vitest"
import type { Page } from "playwright-core"
import { asTold, TRIES_MAX } from "../support/putOff.ts"

/** By its title: an answer to a form may be put off too. */
const isPutOffPage = (title: string) => /^(Too many requests|Away for a moment) /.test(title)

/** Asks again until the page is no longer put off; a visitor who types is slower than a test. */
export const settled = async (page: Page) => {
  for (let tries = 1; isPutOffPage(await page.title()); tries++) {
    assert.isBelow(tries, TRIES_MAX, page.url())
    await pause(1_000)
    await page.reload()
  }
}

export const goTo = async (page: Page, path: string) => {
  await page.goto(new URL(path, page.url()).href)
  await settled(page)
}

/**
 * Presses a button of a form, by its name or where it is found, again where the account's rate of
 * writes is met; answers the status.
 */
export const press = async (page: Page, button: string | ReturnType<Page["locator"]>): Promise<number> => {
  const found = typeof button === "string" ? page.getByRole("button", { name: button, exact: true }) : button
  for (let tries = 1; ; tries++) {
    assert.isBelow(tries, TRIES_MAX, String(button))
    await found.waitFor()
    const posted = page.waitForResponse((answer) => answer.request().method() === "POST")
    const [answer] = await Promise.all([posted, page.waitForEvent("load"), found.click()])
    if (answer.status() !== 429) {
      await settled(page)
      return answer.status()
    }
    await asTold(await answer.headerValue("retry-after"))
  }
}

const openerOf = (page: Page, label: string) => page.locator(`summary[aria-label=${JSON.stringify(label)}]`)

/** The two steps by which something is taken away: the first by keyboard. */
export const sure = async (page: Page, label: string): Promise<number> => {
  const button = page.getByRole("button", { name: label, exact: true }).and(page.locator("details form button"))
  assert.isFalse(await button.isVisible(), `${label} is asked first`)
  await openerOf(page, label).press("Enter")
  return press(page, button)
}

export const follow = async (page: Page, name: string) => {
  await page.getByRole("main").getByRole("link", { name, exact: true }).click()
  await page.waitForLoadState()
  await settled(page)
}

/** Signs in at the page that the visitor wanted, and is back there afterwards. */
export const signIn = async (page: Page, login: string) => {
  await page.getByRole("link", { name: /^Sign in with/ }).click()
  await page.locator('input[name="login"]').fill(login)
  await page.locator("button").click()
  await page.waitForLoadState()
  await settled(page)
}
