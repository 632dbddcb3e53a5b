import type { Server } from "node:http"

/**
 * For a server without upgrades: node hands such a connection over without any time limit, so that it would stay for as long as its client
 * likes.
 */
export const refuseUpgrades = (server: Server): void => {
  server.prependListener("upgrade", (_request, socket) => socket.destroy())
}
