import { part } from "./seeds.ts"

part(1)
