/**
 * `agon zoo --out DIR`: writes the example models, weights and manifest of each, an index that describes
 * them, and the boards that they can be played on. The bytes are the same every time, so the command can be
 * repeated on the same folder.
 */
import { makeFolder } from "@agon/api/program/makeFolder.ts"
import { hashOf } from "@agon/engine/hash.ts"
import { boardsOf, engines } from "@agon/engine/registry.ts"
import { demoWeightClasses, type ZooEntry, zoo } from "@agon/zoo/zoo.ts"
import { Console, Effect, FileSystem, Option, Path } from "effect"
import { Command, Flag } from "effect/cli"
import { CouldNotRun } from "../Answer.ts"

/** A file to be written, its path relative to the folder and with slashes, as the index names it. */
interface Output {
  readonly path: string
  readonly bytes: Uint8Array
}

const jsonOf = (value: unknown): Uint8Array => new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`)

/** The files of one model and its row of the index. The hashes are those that a submission names. */
export const filesOf = ({ name, game, description, strength, build }: ZooEntry) => {
  const { weights, manifest } = build()
  const outputs: ReadonlyArray<Output> = [
    { path: `${game}/${name}.onnx`, bytes: weights },
    { path: `${game}/${name}.json`, bytes: manifest }
  ]
  const size_bytes = weights.length + manifest.length
  const row = {
    name,
    game,
    description,
    /** Rank within the game, 0 the weakest. */
    strength,
    class: demoWeightClasses.find(({ max_bytes }) => size_bytes <= max_bytes)?.class ?? null,
    size_bytes,
    weights: outputs[0]!.path,
    weights_hash: hashOf(weights),
    manifest: outputs[1]!.path,
    manifest_hash: hashOf(manifest)
  }
  return { outputs, row }
}

const boardFiles = (game: string) =>
  boardsOf(game).map((board) => ({
    output: { path: `${game}/boards/${board.map_id}.json`, bytes: jsonOf(board) },
    row: { game, map_id: board.map_id, players: board.players, rows: board.rows, cols: board.cols }
  }))

const write = Effect.fnUntraced(function* (folder: string, { path, bytes }: Output) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const target = paths.join(folder, path)
  const written = Effect.andThen(
    Effect.try(() => makeFolder(paths.dirname(target))),
    files.writeFile(target, bytes)
  )
  yield* Effect.mapError(written, () => new CouldNotRun({ message: `${target} cannot be written.` }))
})

export const zooCommand = Command.make(
  "zoo",
  {
    out: Flag.Path("out").pipe(Flag.withDescription("Folder to write to; created if missing")),
    game: Flag.Literals(
      "game",
      engines.map(({ slug }) => slug)
    ).pipe(Flag.withDescription("Write the models of this game only (default: of all games)"), Flag.optional),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print the index as JSON"), Flag.withDefault(false))
  },
  Effect.fn(function* ({ out, game, json }) {
    const games = engines.map(({ slug }) => slug).filter((slug) => Option.isNone(game) || game.value === slug)
    const models = zoo.filter((entry) => games.includes(entry.game)).map(filesOf)
    const boards = games.flatMap(boardFiles)
    const index = {
      models: models.map(({ row }) => row),
      boards: boards.map(({ row, output }) => ({ ...row, file: output.path }))
    }
    const outputs = [...models.flatMap((one) => one.outputs), ...boards.map(({ output }) => output)]
    // The index is written last, so everything that it names exists.
    for (const output of [...outputs, { path: "index.json", bytes: jsonOf(index) }]) yield* write(out, output)
    if (json) return yield* Console.log(JSON.stringify(index))
    for (const { row } of models) yield* Console.log(`${row.weights}  ${row.class}  ${row.size_bytes} bytes  ${row.description}`)
    yield* Console.log(`${models.length} models and ${boards.length} boards, listed in ${out}/index.json`)
  })
)
