/**
 * Completes package-lock.json after `npm install` against a registry that does not carry every
 * platform's packages: npm leaves out what it could not look up, and `npm ci` then refuses the lock file
 * on every machine. The entries added here name the required version and its platforms; nothing is
 * downloaded for other platforms. If the registry knows a package, its integrity is entered too.
 * `npm run tidy` says when to run this.
 *
 *   node scripts/completeLock.ts
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"

export interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly license?: string
  readonly optional?: boolean
  readonly os?: ReadonlyArray<string>
  readonly cpu?: ReadonlyArray<string>
  readonly libc?: ReadonlyArray<string>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export type Packages = Readonly<Record<string, Locked>>

/** Optional dependencies at exact versions without an entry, by the path that they would have. */
export function missingFrom(packages: Packages): Packages {
  const missing: Record<string, Locked> = {}
  for (const [owner, { dev, optionalDependencies }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies ?? {})) {
      const found = places(owner, name).some((place) => packages[place] !== undefined)
      if (found || !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)) continue
      missing[`node_modules/${name}`] = { version, ...(dev === true ? { dev } : {}), optional: true, ...machineOf(name) }
    }
  }
  return missing
}

/** Where Node would look for a dependency, the innermost folder first. */
function places(owner: string, name: string): ReadonlyArray<string> {
  const found = [owner === "" ? `node_modules/${name}` : `${owner}/node_modules/${name}`]
  for (let at = owner.lastIndexOf("/node_modules/"); at >= 0; at = owner.lastIndexOf("/node_modules/", at - 1)) {
    found.push(`${owner.slice(0, at)}/node_modules/${name}`)
  }
  return [...found, `node_modules/${name}`]
}

function machineOf(name: string): Pick<Locked, "os" | "cpu" | "libc"> {
  const os = name.match(/(android|darwin|freebsd|linux|openbsd|win32)/)?.[1]
  const cpu = name.match(/(arm64|aarch64|armv?\d*|x64|ia32|ppc64|riscv64|s390x)/)?.[1]
  if (os === undefined || cpu === undefined) throw new Error(`cannot tell from its name which machines ${name} is for`)
  const known = cpu === "aarch64" ? "arm64" : /^armv?\d*$/.test(cpu) && cpu !== "arm64" ? "arm" : cpu
  return { os: [os], cpu: [known], ...(name.includes("musl") ? { libc: ["musl"] } : {}) }
}

/**
 * Packages from a registry without an integrity in the lock file. Workspaces and links to
 * them come with the checkout.
 */
export const withoutIntegrity = (packages: Packages): ReadonlyArray<readonly [place: string, locked: Locked]> =>
  Object.entries(packages).filter(
    ([place, { integrity, link }]) => place.includes("node_modules/") && link !== true && integrity === undefined
  )

/** The packages, with the integrity of those that the registry knows. */
function identified(packages: Packages): Packages {
  const found = withoutIntegrity(packages).flatMap(([place, locked]): ReadonlyArray<readonly [string, Locked]> => {
    const integrity = integrityOf(place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length), locked.version ?? "")
    return integrity === "" ? [] : [[place, { ...locked, integrity }]]
  })
  return { ...packages, ...Object.fromEntries(found) }
}

function integrityOf(name: string, version: string): string {
  try {
    const asked = ["view", `${name}@${version}`, "dist.integrity"]
    return execFileSync("npm", asked, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return "" // this registry does not carry it
  }
}

if (import.meta.main) {
  const path = resolve(import.meta.dirname, "../package-lock.json")
  const lock = JSON.parse(readFileSync(path, "utf8")) as { packages: Packages }
  const missing = missingFrom(lock.packages)
  const [own, ...rest] = Object.entries(identified({ ...lock.packages, ...missing }))
  rest.sort(([a], [b]) => a.localeCompare(b, "en"))
  const packages = Object.fromEntries([own ?? ["", {}], ...rest])
  writeFileSync(path, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`)
  const names = Object.keys(missing)
  const unknown = withoutIntegrity(packages).map(([place]) => place)
  if (names.length > 0) console.log(`added ${names.join(", ")}`)
  if (unknown.length > 0) console.log(`the registry knows no integrity of ${unknown.join(", ")}`)
}
