/** The games of this build. A new game adds its folder, and its entries here. */
import type { BoardFile, Engine } from "./Engine.ts"
import type { Game } from "./Game.ts"
import { game as othelloGame } from "./othello/game.ts"
import { othello } from "./othello/othello.ts"
import { game as snakesGame } from "./snakes/game.ts"
import { snakes } from "./snakes/snakes.ts"

/** In the order in which the service lists them. */
export const engines: ReadonlyArray<Engine<any, any>> = [snakes, othello]

/** In the same order. Not used by `engines`, so that a browser's bundle, which verifies replays, holds no boards and pictures. */
export const games: ReadonlyArray<Game<any, any>> = [snakesGame, othelloGame]

export const engineOf = (slug: string): Engine<any, any> | undefined => engines.find((engine) => engine.slug === slug)

export const gameOf = (slug: string): Game<any, any> | undefined => games.find(({ engine }) => engine.slug === slug)

/** The boards that come with a game; empty for an unknown one. */
export const boardsOf = (slug: string): ReadonlyArray<BoardFile> => gameOf(slug)?.boards ?? []
