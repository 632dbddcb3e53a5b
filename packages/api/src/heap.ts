/**
 * Imported before anything else by the service, the site and what measures them: objects are allocated where the garbage collector expects them.
 *
 * V8 allocates what a place in the code makes in old space from the start where, early on, much of it survived. The objects of the first
 * requests do, while the service compiles. Later ones die with their request, but in old space nobody sees that until the next full
 * collection, and whatever they name stays with them: of 43 MB that an uncached read's requests made, 12 stayed, each scavenge took 12 to
 * 20 ms instead of 0.3, and a full collection was due every two seconds. V8 has no way to take one place back, so none is moved.
 */
import { setFlagsFromString } from "node:v8"

setFlagsFromString("--no-allocation-site-pretenuring")
