/** Tables as a browser lays them out. */

/**
 * In the browser: of each table the columns whose heading is aligned otherwise than its figures, the names
 * that are broken, a cut caption.
 */
export const lookAtTables = () => {
  const window = globalThis as any
  const alignment = (cell: any) => window.getComputedStyle(cell).textAlign
  return [...window.document.querySelectorAll("main table")].map((table: any) => {
    const [headings, cells] = [[...table.tHead.rows[0].cells], [...(table.tBodies[0].rows[0]?.cells ?? [])]]
    const seen = table.parentElement.getBoundingClientRect()
    return {
      caption: table.caption?.textContent as string,
      // A list of cards has its headings for readers of the screen alone.
      askew: (window.getComputedStyle(table.tHead).position === "absolute" ? [] : cells).flatMap((cell: any, i) =>
        cell.classList.contains("n") && alignment(cell) !== alignment(headings[i]) ? [headings[i].textContent as string] : []
      ),
      broken: [...table.querySelectorAll("bdi")].flatMap((name: any) => {
        const lines = window.document.createRange()
        lines.selectNodeContents(name)
        return /^\w{2,20}$/.test(name.textContent) && lines.getClientRects().length > 1 ? [name.textContent as string] : []
      }),
      cut: table.caption != null && table.caption.getBoundingClientRect().right > seen.right + 1
    }
  })
}

/**
 * In the browser, once every name in a table is this one: names that leave their cell, where they
 * would cover what stands beside them, and ratings of those who lead that nobody sees without
 * scrolling the table sideways.
 */
export const cutNames = (text: string) => {
  const { document } = globalThis as any
  const names = [...document.querySelectorAll("main :is(td, th) bdi")].filter((name: any) => name.closest(".unseen") === null)
  for (const name of names) name.textContent = text
  const rightOf = (element: any) => {
    const lines = document.createRange()
    lines.selectNodeContents(element)
    return lines.getBoundingClientRect().right
  }
  const out = names.flatMap((name: any) => {
    const [own, cell] = [name, name.closest("td, th")].map((element) => element.getBoundingClientRect().right)
    const right = Math.max(rightOf(name), own)
    return right > Math.min(own, cell) + 1 ? [`a name ends at ${Math.round(right)}, its place at ${Math.round(Math.min(own, cell))}`] : []
  })
  const unseen = [...document.querySelectorAll("main .top td.n")].filter(
    (figure: any) => rightOf(figure) > figure.closest(".scroll").getBoundingClientRect().right + 1
  )
  return [...new Set(out), ...unseen.map((figure: any) => `out of sight: ${figure.textContent}`)]
}

/**
 * In the browser: the buttons in tables, and what unfolds or leads to one, that nobody sees without
 * scrolling the table sideways.
 */
export const actionsOutOfSight = () =>
  [...(globalThis as any).document.querySelectorAll("main .scroll td > :is(form, details, button, a.do)")].flatMap((action: any) => {
    const [at, seen] = [action, action.closest(".scroll")].map((element) => element.getBoundingClientRect())
    return at.left < seen.left - 1 || at.right > seen.right + 1 ? [action.textContent.trim() as string] : []
  })
