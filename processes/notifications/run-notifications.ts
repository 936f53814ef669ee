/** `capstan notifications`: the loop that tells people of applications. */
import type { FlagValues } from "@capstan/cli/record";
import { startNotificationController } from "@capstan/controllers";
import { leadInTurn } from "@capstan/kube";
import { leaseInput } from "../parts/lease-input.ts";
import { type PartMeans, runPart } from "../parts/run-part.ts";
import { serviceSurroundings } from "../surroundings/service-surroundings.ts";
import { type notificationFlags, notificationPart } from "./options.ts";

export function runNotification(
  flags: FlagValues<typeof notificationFlags>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const start = async (means: PartMeans) => {
    const surroundings = serviceSurroundings(env);
    const lead = async (): Promise<AsyncDisposable> =>
      startNotificationController({ ...means, surroundings });
    return leadInTurn({ ...leaseInput(means), name: "capstan-notifications", lead });
  };
  return runPart({ ...notificationPart, start }, flags, env);
}
