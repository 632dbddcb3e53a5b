/**
 * The player's own styles, adopted by its shadow root: nothing is inline. Colours follow the page's colour scheme. On a phone what plays
 * the match stands right below the board, before who is in it; where there is room, those stand beside the board.
 */
import { css, unsafeCSS } from "lit"
import { pictureStyles } from "../../src/picture/styles.ts"

export const styles = [
  unsafeCSS(pictureStyles),
  css`
:host { display: block; overflow-wrap: anywhere; --faint: light-dark(#57606a, #a5afba); --edge: light-dark(#c9cdd2, #3b434c); --back: light-dark(#fff, #14181c); --good: light-dark(#0f6b3c, #5fd68f); --bad: light-dark(#a3151f, #ff8f88); --key: light-dark(#1f5fbf, #7fb2ff) }
:host(:fullscreen) { overflow: auto; padding: 1rem; background: var(--back) }
* { box-sizing: border-box }
.stage { --max: min(36rem, 75vh); display: grid; grid-template-columns: minmax(0, 1fr); gap: .4rem 1rem; align-items: start }
@media (min-width: 46rem) {
  .stage { grid-template-columns: minmax(0, var(--max)) minmax(20rem, 1fr) }
  .side { grid-area: 1 / 2 }
  .time, .controls { grid-column: 1 / -1 }
}
.board { max-width: var(--max); border: 1px solid var(--edge); border-radius: .4rem; overflow: hidden }
:host(:fullscreen) .stage { --max: min(70vw, 80vh) }
table { border-collapse: collapse; width: 100% }
th, td { padding: .3rem .5rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--edge); font-weight: normal }
.facts th { overflow-wrap: normal }
thead th { color: var(--faint); font-size: .85em }
.gone { color: var(--faint); text-decoration: line-through }
.number { text-align: right; overflow-wrap: normal; font-variant-numeric: tabular-nums }
.time svg { display: block; width: calc(100% - 16px); height: 14px; margin: 0 8px; overflow: visible }
.time input { display: block; width: 100%; margin: 0; accent-color: var(--key) }
.time .strike { fill: light-dark(#8a6100, #e3b341) }
.time .out { fill: none; stroke: var(--bad); stroke-width: 2 }
.time .end { fill: currentColor }
.controls { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center }
button, select { font: inherit; color: inherit; background: var(--back); border: 1px solid light-dark(#767d85, #7d8691); border-radius: .3rem; min-height: 2.4rem; padding: .2rem .6rem; cursor: pointer }
button:disabled { cursor: default; opacity: .5 }
button svg { display: block; width: 1.1rem; height: 1.1rem; fill: currentColor }
.play { background: var(--key); color: light-dark(#fff, #0d1117); border-color: var(--key) }
.at { font-variant-numeric: tabular-nums; min-width: 8.5em }
:focus-visible { outline: 3px solid var(--key); outline-offset: 2px }
a { color: var(--key) }
.now { margin: .4rem 0 }
.verdict { margin: .4rem 0; padding: .2rem .6rem; border-left: .3rem solid var(--edge) }
.verdict.good { border-color: var(--good) }
.verdict.bad { border-color: var(--bad) }
.verdict strong { color: var(--faint) }
.verdict.good strong { color: var(--good) }
.verdict.bad strong { color: var(--bad) }
.verdict p, .verdict ul { margin: .25rem 0 }
details { margin: .4rem 0; border-top: 1px solid var(--edge); padding-top: .4rem }
summary { cursor: pointer; padding: .2rem 0 }
@media (pointer: coarse) {
  button, select { min-height: 2.75rem; min-width: 2.75rem }
  summary { padding: .65rem 0 }
}
pre { overflow-x: auto; line-height: 1.3; margin: .4rem 0 }
code, .hash { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere }
ol.moments { list-style: none; padding: 0; margin: .4rem 0; max-height: 16rem; overflow-y: auto }
ol.moments button { border: 0; text-align: left; width: 100%; background: none; padding: .2rem .4rem; color: var(--key) }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: .4rem 0 }
dd { margin: 0 }
kbd { font: inherit; border: 1px solid var(--edge); border-radius: .25rem; padding: 0 .35rem }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.unequal { color: var(--bad) }
`
]
