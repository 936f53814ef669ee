export { type CommandGap, commandGaps } from "./command-gaps.ts";
export type { Io } from "./io.ts";
export { main } from "./main.ts";
export type { Program } from "./program.ts";
