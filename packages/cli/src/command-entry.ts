import type { CommandEntry } from "./command.ts";

/** A command's file is loaded when it is called. */
export const entry = (name: string, summary: string, load: CommandEntry["load"]): CommandEntry => ({
  name,
  summary,
  load,
});
