/** Whether a URL of this service is a path, with or without a query, or lies below it. */
export const isUnder = (url: string, path: string): boolean =>
  url.startsWith(path) && (url.length === path.length || url[path.length] === "/" || url[path.length] === "?")
