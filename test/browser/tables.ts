/** Tables as a browser lays them out. */

/** In the browser: of each table the columns whose heading is aligned otherwise than its figures, the names that are broken, a cut caption. */
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

/** In the browser: the buttons in tables, and what unfolds to one, that nobody sees without scrolling the table sideways. */
export const actionsOutOfSight = () =>
  [...(globalThis as any).document.querySelectorAll("main .scroll td > :is(form, details, button)")].flatMap((action: any) => {
    const [at, seen] = [action, action.closest(".scroll")].map((element) => element.getBoundingClientRect())
    return at.left < seen.left - 1 || at.right > seen.right + 1 ? [action.textContent.trim() as string] : []
  })
