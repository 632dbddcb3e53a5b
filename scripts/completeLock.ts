/**
 * Completes package-lock.json after `npm install` against a registry that does not carry every platform's packages:
 * npm leaves out what it could not look up, and `npm ci` then refuses the lock file on every machine. The entries
 * added here name the version that is asked for and the machines that it is for; nothing is fetched for other ones.
 * `npm run tidy` says when this is due.
 *
 *   node scripts/completeLock.ts
 */
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"

export interface Locked {
  readonly version?: string
  readonly dev?: boolean
  readonly license?: string
  readonly optional?: boolean
  readonly os?: ReadonlyArray<string>
  readonly cpu?: ReadonlyArray<string>
  readonly libc?: ReadonlyArray<string>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export type Packages = Readonly<Record<string, Locked>>

/** Optional dependencies at exact versions that no entry stands for, by the path that they would have. */
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

if (import.meta.main) {
  const path = resolve(import.meta.dirname, "../package-lock.json")
  const lock = JSON.parse(readFileSync(path, "utf8")) as { packages: Packages }
  const missing = missingFrom(lock.packages)
  const names = Object.keys(missing)
  if (names.length > 0) {
    const [own, ...rest] = Object.entries({ ...lock.packages, ...missing })
    rest.sort(([a], [b]) => a.localeCompare(b, "en"))
    writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries([own ?? ["", {}], ...rest]) }, null, 2)}\n`)
    console.log(`added ${names.join(", ")}`)
  }
}
