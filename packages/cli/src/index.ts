export type { Io } from "./io.ts";
export { type ExtraCommands, main } from "./main.ts";
