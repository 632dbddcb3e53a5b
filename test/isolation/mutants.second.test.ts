import { half } from "./mutants.ts"

half(1)
