/** A door of its own, for programs that serve a plugin's folder: what is built of it, and `capstan plugin serve`. */
import "./older-node.ts";

export { isDefined, notDefined } from "./author/is-defined.ts";
export { serveCommands, serveFolder } from "./author/serve-commands.ts";
export type { ServeOptions } from "./author/serve-options.ts";
export { serveBuilt, serveProgram, takeOver } from "./author/serve-program.ts";
