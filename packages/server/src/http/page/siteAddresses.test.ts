import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../../../../../test/support/eventually.ts"
import { siteAddresses } from "./siteAddresses.ts"

it.effect("a site beside the service asks from this machine, one elsewhere from its address, and without a site nobody does", () =>
  Effect.gen(function* () {
    const own = yield* siteAddresses({ site: "own", host: "10.0.0.5" })
    const elsewhere = yield* siteAddresses({ site: { host: "10.0.0.9", port: 8081 }, host: "127.0.0.1" })
    const six = yield* siteAddresses({ site: { host: "2001:db8::9", port: 8081 }, host: "127.0.0.1" })
    const none = yield* siteAddresses({ site: "off", host: "127.0.0.1" })
    const asked = ["127.0.0.1", "0:0:0:0::/64", "10.0.0.5", "10.0.0.9", "2001:db8:0:0::/64"]
    const believed = [own, elsewhere, six, none].map((isAt) => asked.filter(isAt))
    assert.deepStrictEqual(believed, [["127.0.0.1", "0:0:0:0::/64", "10.0.0.5"], ["10.0.0.9"], ["2001:db8:0:0::/64"], []])
  })
)

it.live("a site with a name is believed at the addresses that the name has", () =>
  Effect.gen(function* () {
    const isAt = yield* siteAddresses({ site: { host: "localhost", port: 8081 }, host: "10.0.0.5" })
    yield* eventually(
      "localhost is looked up",
      Effect.sync(() => isAt("127.0.0.1") || isAt("0:0:0:0::/64"))
    )
    assert.isFalse(isAt("10.0.0.5"))
  })
)
