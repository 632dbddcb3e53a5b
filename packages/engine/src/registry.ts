/** The games of this build. A new game adds a folder and one line here. */
import type { Engine } from "./Engine.ts"
import { othello } from "./othello/othello.ts"
import { snakes } from "./snakes/snakes.ts"

export const engines: ReadonlyArray<Engine<any, any>> = [snakes, othello]

export const engineOf = (slug: string): Engine<any, any> | undefined => engines.find((engine) => engine.slug === slug)
