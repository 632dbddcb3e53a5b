/** The first of these names that stands a second time; a file may hold as many as it has messages. */
export const firstTwice = (names: ReadonlyArray<string>): string | undefined => {
  const seen = new Set<string>()
  return names.find((name) => seen.size === seen.add(name).size)
}
