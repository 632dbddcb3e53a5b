import type { Game } from "../Game.ts"
import type { OthelloBoard } from "./Board.ts"
import { othelloBoards } from "./boards.ts"
import { othello } from "./othello.ts"
import { picture } from "./picture.ts"
import type { OthelloState } from "./State.ts"

export const game: Game<OthelloBoard, OthelloState> = { engine: othello, boards: othelloBoards, picture }
