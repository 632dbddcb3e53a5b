/** The cell one move away, moves being 0 up, 1 right, 2 down, 3 left; -1 off the edge of a board that does not wrap. */
export const neighbour = (rows: number, cols: number, wrap: boolean, cell: number, move: number): number => {
  let row = Math.floor(cell / cols)
  let col = cell % cols
  if (move === 0) row--
  else if (move === 1) col++
  else if (move === 2) row++
  else col--
  if (wrap) return ((row + rows) % rows) * cols + ((col + cols) % cols)
  return row < 0 || row >= rows || col < 0 || col >= cols ? -1 : row * cols + col
}
