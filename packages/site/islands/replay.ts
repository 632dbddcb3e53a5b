/** The script of a match's page: the replay player, `<agon-replay src="/…" names='["…"]' game="snakes" board="open-7" turn="12">`. */
import { ReplayPlayer } from "./replay/ReplayPlayer.ts"

customElements.define("agon-replay", ReplayPlayer)
