import { StarlarkError } from "../script-error.ts";

/** What is left of the running script's steps; a thread runs one script at a time. */
let left = 0;

export function allowSteps(count: number): void {
  left = count;
}

/** To be called wherever work is done that grows with what a script asks for. */
export function spend(count: number): void {
  left -= count;
  if (left < 0) throw new StarlarkError("Starlark computation cancelled: too many steps");
}
