import { CapstanError, isCapstanError, messageOf } from "@capstan/model";
import { hidePaths } from "../run-command.ts";
import { authorPlace } from "./author-place.ts";

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

export interface FailureFacts {
  readonly plugin: string;
  /** Temporary directories, which show as ".". */
  readonly hide: readonly string[];
  /** Where the author's own files are: what is no PluginError tells its place there. */
  readonly folder: string | undefined;
}

/** The failure that crosses the wire. */
export function asFailure(error: unknown, { plugin, hide, folder }: FailureFacts): unknown {
  if (isCapstanError(error)) return error;
  if (error instanceof Error && error.name === "AbortError") return error;
  const isMeant = error instanceof PluginError;
  const place = isMeant || folder === undefined ? undefined : authorPlace(error, folder);
  const problem = hidePaths(messageOf(error), hide) + (place === undefined ? "" : ` (${place})`);
  return new CapstanError({ code: "PLUGIN_FAILED", plugin, problem, ...(isMeant ? error.place : {}) }, error);
}
