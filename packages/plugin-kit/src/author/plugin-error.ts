import { CapstanError, isCapstanError, messageOf } from "@capstan/model";
import { hidePaths } from "../run-command.ts";

export interface ErrorPlace {
  /** From the repository's root, or from where the plugin found it. */
  file?: string;
  /** From 1. */
  document?: number;
  line?: number;
  column?: number;
}

/** What an author throws for a person's mistake: the page and the command line show it with its place. */
export class PluginError extends Error {
  override readonly name = "PluginError";
  readonly place: ErrorPlace;

  constructor(problem: string, place: ErrorPlace = {}) {
    super(problem);
    this.place = place;
  }
}

/** The failure that crosses the wire; temporary directories show as ".". */
export function asFailure(error: unknown, plugin: string, hide: readonly string[]): unknown {
  if (isCapstanError(error)) return error;
  if (error instanceof Error && error.name === "AbortError") return error;
  const place = error instanceof PluginError ? error.place : {};
  const problem = hidePaths(messageOf(error), hide);
  return new CapstanError({ code: "PLUGIN_FAILED", plugin, problem, ...place }, error);
}
