import type { YamlValue } from "../krm-yaml/values.ts";
import { StarlarkError } from "./starlark-error.ts";

/** A script with all that it may see. */
export interface StarlarkScript {
  /** Stands where a file name would in messages; kpt gives the functionConfig's name. */
  name: string;
  source: string;
  /** `ctx.resource_list`: items and functionConfig, whose params the script reads there. */
  resourceList: YamlValue;
  /** `ctx.environment`. */
  environment: Readonly<Record<string, string>>;
  /** What `time.now()` gives, in milliseconds. */
  nowMs: number;
  maxSteps: number;
}

export interface StarlarkEnd {
  /** As the script left it. */
  resourceList: YamlValue;
  /** A line for each `print`. */
  printed: string;
}

/** Runs a script. Synchronous and bounded in steps only: run it where it can be ended. */
export function executeScript(script: StarlarkScript): StarlarkEnd {
  throw new StarlarkError(`${script.name}: starlark scripts cannot run yet`);
}
