/** Pages as a phone lays them out; each of these is asked in the browser. */

/**
 * Buttons, fields and links of their own that are lower than a thumb needs, 44 pixels. Links within sentences and
 * rows are as high as their lines.
 */
export const missedByThumbs = () => {
  const { document } = globalThis as any
  const pressed =
    "button, summary, select, textarea, input:not([type=hidden], [type=checkbox], [type=range]), label.box, a.act, a.do, nav a"
  const roots = [document, ...[...document.querySelectorAll("agon-replay")].flatMap(({ shadowRoot }: any) => shadowRoot ?? [])]
  return roots
    .flatMap((root: any) => [...root.querySelectorAll(pressed)])
    .filter((one: any) => one.checkVisibility() && one.getBoundingClientRect().height < 43.9)
    .map((one: any) => `${one.localName} ${one.textContent.trim().slice(0, 40)}: ${one.getBoundingClientRect().height}`)
}

/** Captions of lists, ladders among them, that scroll sideways nevertheless. */
export const columnsOutOfSight = () =>
  [...(globalThis as any).document.querySelectorAll(".scroll:has(> :is(.lines, .ladder))")]
    .filter((region: any) => region.scrollWidth > region.clientWidth)
    .map((region: any) => `${region.ariaLabel}: ${region.scrollWidth} of ${region.clientWidth}`)

/** Texts that leave their cell, where they cover the next one. */
export const textsOutOfCells = () => {
  const { document } = globalThis as any
  return [...document.querySelectorAll("main :is(td, th)")].flatMap((cell: any) => {
    const text = document.createRange()
    text.selectNodeContents(cell)
    const over = text.getBoundingClientRect().right - cell.getBoundingClientRect().right
    return over > 1 ? [`${cell.textContent.trim()}: by ${Math.round(over)}`] : []
  })
}

/** The page that shows, where its name in the line of an administration's pages is out of sight. */
export const unseenOfNav = () => {
  const { document, innerWidth } = globalThis as any
  return [...document.querySelectorAll("nav.sections [aria-current]")]
    .filter((here: any) => here.getBoundingClientRect().left < 0 || here.getBoundingClientRect().right > innerWidth)
    .map((here: any) => here.textContent as string)
}

/** Tables that scroll sideways and do not show it: their edge fades until their end is in sight, and the keyboard moves them. */
export const scrollsUnseen = async () => {
  const { document, getComputedStyle, requestAnimationFrame } = globalThis as any
  const drawn = () => new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(resume)))
  for (const details of document.querySelectorAll("details")) details.open = true
  const unseen: Array<string> = []
  for (const region of document.querySelectorAll(".scroll")) {
    if (region.scrollWidth <= region.clientWidth) continue
    await drawn()
    const before = getComputedStyle(region).maskPosition
    region.scrollLeft = region.scrollWidth
    await drawn()
    const after = getComputedStyle(region).maskPosition
    if (before !== "100% 0px" || after !== "0% 0px" || region.tabIndex !== 0) {
      unseen.push(`${region.ariaLabel}: ${before}, at its end ${after}, tabindex ${region.tabIndex}`)
    }
  }
  return unseen
}

/**
 * In the browser, once every cell has something in it: those of a list's line between which two dots stand, one from the end of a
 * cell and one from the beginning of the next.
 */
export const dotsTwice = () => {
  const window = globalThis as any
  const dotIn = (cell: any, place: string) => window.getComputedStyle(cell, place).content.includes("·")
  for (const cell of window.document.querySelectorAll("main .lines td:empty")) cell.textContent = "0"
  return [...window.document.querySelectorAll("main .lines td + td")]
    .filter((cell: any) => dotIn(cell.previousElementSibling, "::after") && dotIn(cell, "::before"))
    .map((cell: any) => cell.textContent as string)
}
