/**
 * Words as they are compared (docs/contract.md#word-list): whole, after NFKC, case folding and removal of diacritics. So are
 * characters that show nothing, such as a zero-width space: with one in it a word reads as it did.
 */

/** Letters and digits make a word; everything else stands between words. */
const between = /[^\p{L}\p{N}]+/u

/** They go first: ordering many marks on one letter, as normalization does, takes the square of their number. */
const unseen = /[\p{M}\p{Default_Ignorable_Code_Point}]+/gu

const fold = (text: string) =>
  text
    .replace(unseen, "")
    .normalize("NFKC")
    .toLowerCase() // ẞ is a capital of ß, which has another
    .toUpperCase() // makes one of what lower case keeps apart, such as ß and ss
    .toLowerCase()
    .replaceAll("ς", "σ") // which of the two a capital becomes depends on its neighbours
    .normalize("NFKD")
    .replace(unseen, "")
    .normalize("NFKC")

/** The words of a text, each once. */
export const wordsOf = (text: string): ReadonlyArray<string> => [...new Set(fold(text).split(between))].filter((word) => word !== "")

/** One word and nothing else, as it is compared; undefined where it is none, or more than one. */
export const wordOf = (text: string): string | undefined => {
  const word = fold(text)
  return word === "" || between.test(word) ? undefined : word
}
