/** `capstan application-set`: the loop that makes Applications of ApplicationSets. */
import type { FlagValues } from "@capstan/cli/record";
import { startApplicationSetController } from "@capstan/controllers";
import { runPart } from "../parts/run-part.ts";
import { type applicationSetFlags, applicationSetPart } from "./options.ts";

export function runApplicationSet(
  flags: FlagValues<typeof applicationSetFlags>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const start = async (means: Parameters<typeof startApplicationSetController>[0]) =>
    startApplicationSetController(means);
  return runPart({ ...applicationSetPart, start }, flags, env);
}
