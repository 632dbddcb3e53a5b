import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { telling, trusting } from "./ClientAddress.ts"

describe("the client's address", () => {
  it("is the peer's where no proxy is trusted, whatever the header says", () => {
    assert.strictEqual(trusting([])("10.0.0.1", "1.2.3.4"), "10.0.0.1")
  })

  it("is the last one in the header that is no trusted proxy", () => {
    const of = trusting(["10.0.0.0/8", "::1"])
    assert.strictEqual(of("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.9.9.9"), "1.2.3.4")
    assert.strictEqual(of("::ffff:10.0.0.1", "1.2.3.4"), "1.2.3.4")
    assert.strictEqual(of("::1", "2001:db8::1"), "2001:db8:0:0::/64")
    assert.strictEqual(of("9.9.9.9", "1.2.3.4"), "9.9.9.9")
    assert.strictEqual(of("10.0.0.1", undefined), "10.0.0.1")
    assert.strictEqual(of("10.0.0.1", "not an address"), "10.0.0.1")
  })

  it("is what the service has told its site, in requests that come from the site, straight or through a trusted proxy", () => {
    const told = telling(Redacted.make("s3cret"))
    const of = trusting(["10.0.0.1"], { told, isAt: (address) => address === "10.0.0.9" })
    for (const address of ["198.51.100.7", "2001:db8:0:1::/64"]) {
      assert.strictEqual(of("10.0.0.9", undefined, told(address)), address)
      assert.strictEqual(of("10.0.0.1", "10.0.0.9", told(address)), address)
      assert.strictEqual(of("10.0.0.8", undefined, told(address)), "10.0.0.8", "from elsewhere")
      assert.strictEqual(of("10.0.0.8", "10.0.0.9", told(address)), "10.0.0.8", "from elsewhere, with a forged X-Forwarded-For")
      assert.strictEqual(of("10.0.0.1", "10.0.0.9, 10.0.0.8", told(address)), "10.0.0.8", "from elsewhere, through the proxy")
    }
    assert.strictEqual(of("10.0.0.1", "1.2.3.4", undefined), "1.2.3.4")
    assert.strictEqual(trusting([])("10.0.0.9", undefined, told("198.51.100.7")), "10.0.0.9", "where there is no site")
  })

  it("is the site's own where what it tells is not signed by the service, of which it shows no secret", () => {
    const told = telling(Redacted.make("s3cret"))
    const of = trusting([], { told, isAt: () => true })
    const signed = told("198.51.100.7")
    assert.notInclude(signed, "s3cret")
    const forged = [
      signed.replace("198", "197"),
      `${signed.slice(0, -1)}g`,
      `198.51.100.8 ${signed.split(" ")[1]}`,
      `${signed} x`,
      ` ${signed}`
    ]
    const others = [
      telling(Redacted.make("guess"))("198.51.100.7"),
      "198.51.100.7",
      "198.51.100.7 ",
      "s3cret 198.51.100.7",
      told("nobody"),
      ""
    ]
    for (const ill of [...forged, ...others]) assert.strictEqual(of("10.0.0.9", undefined, ill), "10.0.0.9", ill)
  })

  it("is the network of 64 bits of an IPv6 address, however that is written", () => {
    const of = trusting([])
    const written = {
      "2001:db8:0:1::": "2001:db8:0:1::/64",
      "2001:0DB8:0:1:ffff:ffff:ffff:ffff": "2001:db8:0:1::/64",
      "2001:db8::1:0:0:0:1": "2001:db8:0:1::/64",
      "2001:db8::2:0:0:0:1": "2001:db8:0:2::/64",
      "::": "0:0:0:0::/64",
      "::1": "0:0:0:0::/64",
      "::1:2:3:4:5:6:7": "0:1:2:3::/64",
      "64:ff9b::192.0.2.1": "64:ff9b:0:0::/64",
      "fe80::1%eth0": "fe80:0:0:0::/64",
      "::ffff:192.0.2.1": "192.0.2.1",
      "::FFFF:192.0.2.1": "192.0.2.1",
      "192.0.2.1": "192.0.2.1",
      "": ""
    }
    for (const [address, counted] of Object.entries(written)) assert.strictEqual(of(address, undefined), counted, address)
  })
})
