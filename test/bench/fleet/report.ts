/** The report that the bench prints. */
import { type Costs, countsOf, PARTS, predicted, type Stage } from "./costs.ts"
import { OPERATIONS } from "./messages.ts"

const quantile = (sorted: Float64Array, q: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]!
const cells = (values: ReadonlyArray<string | number>) =>
  values.map((value) => (typeof value === "number" ? value.toFixed(value < 10 ? 2 : 0) : value).padStart(12)).join("")

export const told = ({ cpu_ms, measured, name, took_s }: Stage) => {
  const { failures, playing, took_ms, waiting } = measured
  const cpu = PARTS.map((part) => `${part} ${(cpu_ms[part] / took_s / 1_000).toFixed(2)}`).join(", ")
  console.log(`\n${name}: ${took_s.toFixed(0)} s, ${waiting} requests wait, ${playing} matches are played; cores: ${cpu}`)
  for (const operation of OPERATIONS) {
    const took = took_ms[operation]
    if (took.length === 0) continue
    const figures = [took.length / took_s, quantile(took, 0.5), quantile(took, 0.99), quantile(took, 1)]
    console.log(`  ${(operation === "empty" ? "empty, beyond 30 s" : operation).padEnd(20)}${cells(figures)}`)
  }
  for (const [what, n] of Object.entries(failures)) console.log(`  ${n} times ${what}`)
}

export const memory = (grown_mb: number, runners: number) =>
  console.log(
    `\nthe nodes hold ${grown_mb.toFixed(0)} MB more than before their runners came, ${((grown_mb * 1024) / runners).toFixed(0)} KB a runner`
  )

export const costs = (made: Costs) => {
  console.log(`\nCPU ms of${cells(["a second", "a long poll", "a heartbeat", "a match", "a read"])}`)
  for (const part of PARTS) {
    const { heartbeat, idle_s, match, poll, read } = made[part]
    console.log(`  ${part.padEnd(7)}${cells([idle_s, poll, heartbeat, match, read].map((ms) => ms.toFixed(3)))}`)
  }
}

/** Costs of another run against what this one took. */
export const check = (made: Costs, stages: ReadonlyMap<string, Stage>) => {
  console.log(`\nCPU ms of each stage, as the costs of the other run have it and as it was, and the error`)
  for (const stage of stages.values()) {
    const parts = PARTS.map((part) => {
      const [said, was] = [predicted(made[part], stage), stage.cpu_ms[part]]
      return `${part} ${said.toFixed(0)} ${was.toFixed(0)} (${(((said - was) / was) * 100).toFixed(0)} %)`
    })
    const { heartbeats, matches, polls, reads } = countsOf(stage)
    console.log(
      `  ${stage.name.padEnd(8)}${parts.join(", ")}; ${polls} polls, ${heartbeats} heartbeats, ${matches} matches, ${reads} reads`
    )
  }
}
