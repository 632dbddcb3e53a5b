/**
 * A snakes observation drawn by hand, made apart from the engine from the words of
 * docs/games.md#what-a-snake-sees, so that a model's view is tested against the rules and not against
 * the engine's reading of them.
 *
 *   # wall   * food   H own head, a b c ... own segments behind it   1 rival's head, then 2 3 ... its segments   . nothing
 */
export interface Drawing {
  readonly obs: Float32Array
  readonly rows: number
  readonly cols: number
}

const sides = [
  [-1, 0],
  [0, 1],
  [1, 0],
  [0, -1]
] as const

export const draw = (lines: ReadonlyArray<string>, { wrap = false, health = 100 } = {}): Drawing => {
  const rows = lines.length
  const cols = lines[0]!.length
  const cells = rows * cols
  const text = lines.join("")
  const obs = new Float32Array(12 * cells)
  const segments = (names: string) => [...names].map((name) => text.indexOf(name)).filter((cell) => cell >= 0)
  const own = segments("Habcdefghijklmnop")
  const rival = segments("123456789")
  obs[own[0]!] = 1
  own.forEach((cell, back) => {
    obs[cells + cell] = (own.length - back) / 64
  })
  if (rival.length > 0) obs[2 * cells + rival[0]!] = 1
  if (rival.length >= own.length) obs[3 * cells + rival[0]!] = 1
  rival.forEach((cell, back) => {
    obs[4 * cells + cell] = (rival.length - back) / 64
  })
  for (let cell = 0; cell < cells; cell++) {
    if (text[cell] === "*") obs[5 * cells + cell] = 1
    if (text[cell] === "#") obs[6 * cells + cell] = 1
  }
  obs.fill(health / 100, 7 * cells, 8 * cells)
  sides.forEach(([down, right], move) => {
    const row = Math.floor(own[0]! / cols) + down
    const col = (own[0]! % cols) + right
    const inside = row >= 0 && row < rows && col >= 0 && col < cols
    const cell = ((row + rows) % rows) * cols + ((col + cols) % cols)
    const stays = Math.max(obs[cells + cell]!, obs[4 * cells + cell]!) * 64 > 1
    if ((inside || wrap) && text[cell] !== "#" && !stays) obs.fill(1, (8 + move) * cells, (9 + move) * cells)
  })
  return { obs, rows, cols }
}
