/**
 * The image of deploy/Containerfile, made where no registry of images answers: its base is a Debian by
 * debootstrap with the Node of this checkout and the machine's npm in it, and buildah builds on that with
 * `--isolation chroot`, which needs no container engine.
 *
 * A container of it is bubblewrap's: the image's files read-only, its user, its command as process 1 of a
 * namespace of its own, no capabilities, no new privileges, and the machine's network. crun would be nearer
 * to an engine and refuses machines whose cgroups are of both versions.
 */
import { execFile } from "node:child_process"
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { eventuallyAsync, Hopeless } from "../support/eventually.ts"
import * as Program from "./Program.ts"
import { type Family, familyOf } from "./Service.ts"

const ROOT = join(import.meta.dirname, "../..")
const BASE = "localhost/base"
const IMAGE = "localhost/agon"
const OUTPUT_BYTES = 64 * 1024 ** 2
/** Of the user that builds, in the image. */
const HOME = "/root"
const CERTIFICATES = "/etc/ssl/certs"
const PROGRAMS = ["/usr/bin/buildah", "/usr/sbin/debootstrap", "/usr/bin/bwrap"]

/** Why no image can be made here, or undefined where one can. */
export const missingImage = (): string | undefined => {
  const missing = PROGRAMS.filter((path) => !existsSync(path))
  if (missing.length > 0) return `no ${missing.join(", ")} (see scripts/apt-packages.txt)`
  return process.getuid?.() === 0 ? undefined : "only root makes a Debian"
}

const run = (command: string, args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { encoding: "utf8", maxBuffer: OUTPUT_BYTES, env: { ...process.env, ...more } } as const
    execFile(command, [...args], options, (error, out, err) =>
      error === null ? resolve(out.trim()) : reject(new Error(`${error.message.slice(0, 2_000)}\n${(out + err).slice(-4_000)}`))
    )
  })

/** The image's own configuration. */
interface Config {
  readonly User: string
  readonly Env: ReadonlyArray<string>
  readonly Cmd: ReadonlyArray<string>
  readonly WorkingDir: string
  readonly StopSignal: string
}

export interface Image {
  readonly config: Config
  /** Its files. */
  readonly files: string
  readonly remove: () => Promise<void>
}

/** A Debian of the smallest kind, with Node and npm as `node:24-bookworm-slim` has them. */
const makeBase = async (folder: string) => {
  await run("/usr/sbin/debootstrap", ["--variant=minbase", "--include=ca-certificates", "bookworm", folder])
  cpSync(realpathSync(process.execPath), join(folder, "usr/bin/node"))
  const npm = dirname(dirname(realpathSync(await run("sh", ["-c", "command -v npm"]))))
  mkdirSync(join(folder, "usr/lib/node_modules"), { recursive: true })
  cpSync(npm, join(folder, "usr/lib/node_modules/npm"), { recursive: true })
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(folder, "usr/bin/npm"))
}

/** The machine's npm settings, its certificates and its cache of packages, for the build alone. */
const npmVolumes = async () => {
  const [settings, cache] = await Promise.all(["userconfig", "cache"].map((name) => run("npm", ["config", "get", name])))
  mkdirSync(cache!, { recursive: true })
  const places: ReadonlyArray<readonly [string, string]> = [
    [settings!, `${HOME}/.npmrc:ro`],
    [cache!, `${HOME}/.npm`],
    [CERTIFICATES, `${CERTIFICATES}:ro`]
  ]
  return places.filter(([from]) => existsSync(from)).flatMap(([from, to]) => ["--volume", `${from}:${to}`])
}

/** Makes base and image; `told` hears how many seconds each step took. */
export const make = async (told: (step: string, seconds: number) => void): Promise<Image> => {
  const directory = mkdtempSync(join(tmpdir(), "agon-image-"))
  const store = ["--root", join(directory, "store"), "--runroot", join(directory, "run")]
  const buildah = (...args: ReadonlyArray<string>) => run("/usr/bin/buildah", [...store, ...args])
  const remove = async () => {
    await buildah("rm", "--all").catch(() => undefined)
    await run("umount", [join(directory, "store/overlay")]).catch(() => undefined)
    rmSync(directory, { recursive: true, force: true })
  }
  const timed = async <A>(step: string, work: () => Promise<A>) => {
    const began = performance.now()
    const made = await work()
    told(step, (performance.now() - began) / 1_000)
    return made
  }
  try {
    const base = join(directory, "base")
    await timed("a Debian by debootstrap", () => makeBase(base))
    await timed("the base image", async () => {
      const container = await buildah("from", "scratch")
      await buildah("add", "--quiet", container, base, "/")
      await buildah("commit", "--quiet", "--rm", container, BASE)
    })
    rmSync(base, { recursive: true })
    const file = ["--file", join(ROOT, "deploy/Containerfile"), "--build-arg", `BASE=${BASE}`]
    const volumes = await npmVolumes()
    await timed("the image", () =>
      buildah("build", "--quiet", "--isolation", "chroot", "--pull=never", ...volumes, ...file, "--tag", IMAGE, ROOT)
    )
    const config = JSON.parse(await buildah("inspect", "--type", "image", IMAGE)).OCIv1.config
    const files = await buildah("mount", await buildah("from", "--pull=never", IMAGE))
    return { config, files, remove }
  } catch (cause) {
    await remove()
    throw cause
  }
}

/** The ids of the image's user. */
export const userOf = ({ config, files }: Image) => {
  const line = readFileSync(join(files, "etc/passwd"), "utf8")
    .split("\n")
    .find((one) => one.startsWith(`${config.User}:`))
  if (line === undefined) throw new Error(`the image has no user ${config.User}`)
  const [, , uid, gid] = line.split(":").map(Number)
  return { uid: uid!, gid: gid! }
}

export interface Container extends Program.Program {
  /** All its processes, by the ids of the machine. */
  readonly family: () => ReadonlyArray<Family>
  readonly signal: (name: NodeJS.Signals) => void
}

/** `volumes` are directories of the machine by their place within. Process 1 gets signals as it does from an engine. */
export const start = async (
  image: Image,
  volumes: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>
): Promise<Container> => {
  const { User, Cmd, Env, WorkingDir } = image.config
  const { gid, uid } = userOf(image)
  const mounts = Object.entries(volumes).flatMap(([to, from]) => {
    mkdirSync(from, { recursive: true })
    chownSync(from, uid, gid)
    return ["--bind", from, to]
  })
  const given = {
    ...Object.fromEntries(Env.map((one) => one.split(/=(.*)/s, 2) as [string, string])),
    ...environment,
    AGON_TEST_RUN: process.env["AGON_TEST_RUN"] ?? ""
  }
  const variables = Object.entries(given).flatMap(([name, value]) => ["--setenv", name, value])
  // An engine gives every container these two; without the first nobody in it knows `localhost`.
  const names = ["/etc/hosts", "/etc/resolv.conf"].flatMap((path) => ["--ro-bind", path, path])
  const space = ["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--as-pid-1"]
  const as = ["setpriv", `--reuid=${User}`, `--regid=${User}`, "--init-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
  const options = ["--ro-bind", image.files, "/", ...names, ...space, ...mounts, "--clearenv", ...variables, "--chdir", WorkingDir]
  const outside = Program.launch("/usr/bin/bwrap", [...options, ...as, ...Cmd], {})
  const inside = () => familyOf(outside).filter(({ pid }) => pid !== outside.pid)
  const first = () => inside().find(({ parent }) => parent === outside.pid)
  await eventuallyAsync("the first process of the container", () => {
    if (outside.over()) throw new Hopeless(`the container ended: ${outside.log()}`)
    return first()?.command.includes("/opt/agon/") === true
  })
  return { ...outside, family: inside, signal: (name) => void process.kill(first()!.pid, name) }
}
