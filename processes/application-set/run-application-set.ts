/** `capstan application-set`: the loop that makes Applications of ApplicationSets. */
import type { FlagValues } from "@capstan/cli/record";
import { startApplicationSetController } from "@capstan/controllers";
import { leadInTurn } from "@capstan/kube";
import { leaseInput } from "../parts/lease-input.ts";
import { type PartMeans, runPart } from "../parts/run-part.ts";
import { type applicationSetFlags, applicationSetPart } from "./options.ts";

export function runApplicationSet(
  flags: FlagValues<typeof applicationSetFlags>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const start = async (means: PartMeans) => {
    const lead = async (): Promise<AsyncDisposable> => startApplicationSetController(means);
    return leadInTurn({ ...leaseInput(means), name: "capstan-application-set", lead });
  };
  return runPart({ ...applicationSetPart, start }, flags, env);
}
