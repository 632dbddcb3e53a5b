/**
 * The program behind a session, in a few words. Its own text may be anything: a browser's name and system are chosen from those
 * below, and of any other text the beginning is shown.
 */
import { plainLine } from "../html/plainLine.ts"

const UNNAMED = "an unnamed program"
/** In characters. */
const SHOWN_MAX = 60

/** By the part that only it has; later ones name themselves like earlier ones too. */
const BROWSERS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|OPT|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:HeadlessChrome|Chrome|Chromium|CriOS)\//, "Chrome"],
  [/\bVersion\/[\d.]+ (?:Mobile\/\w+ )?Safari\//, "Safari"]
]

/** An Android says that it is a Linux, and an iPhone that it is like a Mac. */
const SYSTEMS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\biPhone\b/, "an iPhone"],
  [/\biPad\b/, "an iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac(?: OS X|intosh)\b/, "macOS"],
  [/\bLinux\b|\bX11\b/, "Linux"]
]

const firstOf = (names: typeof BROWSERS, text: string) => names.find(([pattern]) => pattern.test(text))?.[1]

/** `Firefox on Linux`; `curl 8.5.0` for `curl/8.5.0`; `agon on rack-2` as it is. */
export const programOf = (user_agent: string | null): string => {
  const text = plainLine(user_agent ?? "", SHOWN_MAX * 5).trim()
  if (text === "") return UNNAMED
  if (text.startsWith("Mozilla/")) {
    const system = firstOf(SYSTEMS, text)
    return `${firstOf(BROWSERS, text) ?? "A browser"}${system === undefined ? "" : ` on ${system}`}`
  }
  const product = /^([\w.+-]{1,30})\/(v?\d[\w.+-]{0,20})(?=$|[ ;(])/.exec(text)
  return product === null ? plainLine(text, SHOWN_MAX) : `${product[1]} ${product[2]}`
}
