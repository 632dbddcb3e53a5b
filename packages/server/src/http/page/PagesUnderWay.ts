/** The pages that the site is being asked for: bounded in number, and so are those of one address, so that a few cannot keep the others out. */
import { HeldCounts } from "@agon/api/program/HeldCounts.ts"

const AT_ONCE_MAX = 256
/** As many as the site reads for one address (packages/site/src/http/cache/PagesUnderWay.ts). */
const OF_ADDRESS_MAX = 32

export const makePagesUnderWay = () => {
  const ofAddress = new HeldCounts()
  let all = 0
  return {
    /** Whether the page may be asked for; else whose pages are too many. Each that has entered leaves once. */
    enter: (address: string): "entered" | "busy" | "busy_address" => {
      if (ofAddress.of(address) >= OF_ADDRESS_MAX) return "busy_address"
      if (all >= AT_ONCE_MAX) return "busy"
      all++
      ofAddress.enter(address)
      return "entered"
    },
    leave: (address: string): void => {
      all--
      ofAddress.leave(address)
    }
  }
}
