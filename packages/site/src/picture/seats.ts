/** The signs of the seats beside their colours: the shape of a head with the seat's number in it, and the line along a body. */
import { CELL, type Point } from "./svg.ts"

/** Corners around the middle of a cell; the first seat's head is a circle. */
const HEADS: ReadonlyArray<string> = [
  "",
  "-8,-8 8,-8 8,8 -8,8",
  "0,-10 10,0 0,10 -10,0",
  "-5,-9 5,-9 10,0 5,9 -5,9 -10,0",
  "0,-10 10,-2 6,9 -6,9 -10,-2",
  "-9,-9 9,-9 7,9 -7,9",
  "-4,-9 4,-9 9,-4 9,4 4,9 -4,9 -9,4 -9,-4",
  "-10,8 0,-10 10,8"
]
/** Dashes of the thin line along a body, "" for an unbroken one; the first seat's body has none. */
const DASHES: ReadonlyArray<string | undefined> = [undefined, "6 6", "1 5", "12 4", "3 3", "9 3 1 3", "", "1 9"]

/** A head with the seat's number as people count, from 1. */
export const head = (seat: number, { x, y }: Point): string => {
  const shape =
    seat === 0
      ? `<circle class="head" cx="${x}" cy="${y}" r="9"/>`
      : `<polygon class="head" transform="translate(${x} ${y})" points="${HEADS[seat]}"/>`
  return `<g class="s${seat}">${shape}<text class="number" x="${x}" y="${y + (seat === 7 ? 6 : 4)}">${seat + 1}</text></g>`
}

/** `path` is the way from the head to the tail. */
export const body = (seat: number, path: string): string => {
  const dashes = DASHES[seat]
  const dashed = dashes === undefined || dashes === "" ? "" : ` stroke-dasharray="${dashes}"`
  const line = dashes === undefined ? "" : `<path class="stripe" d="${path}"${dashed}/>`
  return `<g class="s${seat}"><path class="body" d="${path}"/>${line}</g>`
}

/** Discs differ in the mark in their middle too: a ring on the first seat's, a dot on the second's. */
export const disc = (seat: number, { x, y }: Point): string =>
  `<g class="d${seat}"><circle class="disc" cx="${x}" cy="${y}" r="8"/><circle class="mark" cx="${x}" cy="${y}" r="${seat === 0 ? 4 : 1.5}"/></g>`

/** The sign of a seat beside its name: the same head or disc as on the board. It says nothing to a screen reader: the name does. */
export const seatBadge = (game: string, seat: number): string => {
  const at = { x: CELL / 2, y: CELL / 2 }
  const known = Number.isInteger(seat) && seat >= 0 && seat < HEADS.length ? seat : 0
  const sign = game === "othello" ? disc(known % 2, at) : head(known, at)
  return `<svg class="agon-picture badge" xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 ${CELL + 2} ${CELL + 2}" aria-hidden="true">${sign}</svg>`
}
