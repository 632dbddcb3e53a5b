/** Which key does what; a key that the focused control uses itself is left to it. */

export type Command = "toggle" | "back" | "on" | "back10" | "on10" | "first" | "last" | "slower" | "faster" | "full"

const KEYS: Readonly<Record<string, Command>> = {
  " ": "toggle",
  k: "toggle",
  ArrowLeft: "back",
  ArrowRight: "on",
  Home: "first",
  End: "last",
  ",": "slower",
  ".": "faster",
  f: "full"
}

const SHIFTED: Readonly<Record<string, Command>> = { ArrowLeft: "back10", ArrowRight: "on10" }

/** Space presses buttons and opens summaries; arrows, Home and End choose in lists, move sliders and scroll. */
const OWN: Readonly<Record<string, RegExp>> = {
  " ": /^(button|summary|select|input|a)$/,
  ArrowLeft: /^(select|input|pre)$/,
  ArrowRight: /^(select|input|pre)$/,
  Home: /^(select|input|pre)$/,
  End: /^(select|input|pre)$/
}

export const commandOf = (event: KeyboardEvent): Command | undefined => {
  if (event.altKey || event.ctrlKey || event.metaKey) return undefined
  const [focused] = event.composedPath()
  const name = focused instanceof Element ? focused.localName : ""
  if (OWN[event.key]?.test(name) === true || (name === "select" && event.key.length === 1)) return undefined
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  return (event.shiftKey ? SHIFTED[key] : undefined) ?? KEYS[key]
}
