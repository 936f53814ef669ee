import { CapstanError } from "@capstan/model";

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

/** The failure that crosses the wire. */
export function asFailure(error: unknown, plugin: string): unknown {
  if (!(error instanceof PluginError)) return error;
  return new CapstanError({ code: "PLUGIN_FAILED", plugin, problem: error.message, ...error.place }, error);
}
