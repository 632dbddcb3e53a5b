/** The service: run.ts, loaded once it is settled how. */
import "@agon/api/program/heap.ts"
import "@agon/api/program/compiled.ts"

await import("./run.ts")
