/**
 * Normalizes words for comparison (docs/contract.md#word-list): whole words, after NFKC, case folding
 * and removal of diacritics. Invisible characters, such as a zero-width space, are removed too, since a
 * word with one reads the same.
 */

/** Words consist of letters and digits; everything else separates them. */
const between = /[^\p{L}\p{N}]+/u

/** Removed before normalization, whose ordering of many marks on one letter takes time quadratic in their number. */
const unseen = /[\p{M}\p{Default_Ignorable_Code_Point}]+/gu

const fold = (text: string) =>
  text
    .replace(unseen, "")
    .normalize("NFKC")
    .toLowerCase() // ẞ is one of two capitals of ß
    .toUpperCase() // unites letters that lower case keeps apart, such as ß and ss
    .toLowerCase()
    .replaceAll("ς", "σ") // which sigma a capital becomes depends on its neighbours
    .normalize("NFKD")
    .replace(unseen, "")
    .normalize("NFKC")

/** The words of a text, each once. */
export const wordsOf = (text: string): ReadonlyArray<string> => [...new Set(fold(text).split(between))].filter((word) => word !== "")

/** The normalized word of a text of exactly one word; undefined for any other text. */
export const wordOf = (text: string): string | undefined => {
  const word = fold(text)
  return word === "" || between.test(word) ? undefined : word
}
