/** Text in places without elements, such as a title: it can isolate nothing there, so characters that turn the direction are left out. */
export const plainLine = (text: string, max: number): string => {
  const plain = text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cc}]/gu, "")
  return [...plain].slice(0, max).join("")
}
