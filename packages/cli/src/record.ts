/** How a command is declared, for the programs that bring some; without those that are here. */
export {
  type Command,
  type CommandEntry,
  defineCommand,
  type Endings,
  ExitError,
  type Flags,
  type FlagValues,
  type Group,
  UsageError,
} from "./command.ts";
export type { ForwardedPod, Io } from "./io.ts";
export { isObjectFormat, outputFlag, printObject } from "./output/print-object.ts";
export { formatTable } from "./output/table.ts";
export type { ForwardedPort } from "./program.ts";
