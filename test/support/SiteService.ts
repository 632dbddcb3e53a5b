/**
 * The service with its own site, behind a proxy that tells addresses: each page is asked for by a visitor of
 * its own, so that none meets a rate.
 */
import { Layer } from "effect"
import * as Fixture from "./Fixture.ts"
import * as Service from "./Service.ts"
import { seedAccounts } from "./Web.ts"

export const settings = { site: "own", trusted_proxies: ["127.0.0.1"] } as const

export const layer = Service.layer(settings)

const accounts = Layer.effectDiscard(seedAccounts)

/** With the accounts of `Web.ts`. */
export const layerAccounts = accounts.pipe(Layer.provideMerge(layer))

/** With these accounts and the seasons of `Fixture.ts`. */
export const layerFixture = Fixture.layer.pipe(Layer.provideMerge(layerAccounts))
