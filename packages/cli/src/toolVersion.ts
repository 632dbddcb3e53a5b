/** The version of package.json, which the packed tool has in another place. */
export const VERSION = "0.1.0"
