/** How flags are read, for the programs beside the command line; without all of its commands. */
export { type Flags, type FlagValues, UsageError } from "./command.ts";
export { flagTable } from "./flag-table.ts";
export { flagProblem, parseFlags } from "./parse-flags.ts";
