/** `capstan notifications`: the loop that tells people of applications. */
import type { FlagValues } from "@capstan/cli/record";
import { startNotificationController } from "@capstan/controllers";
import { runPart } from "../parts/run-part.ts";
import { serviceSurroundings } from "../surroundings/service-surroundings.ts";
import { type notificationFlags, notificationPart } from "./options.ts";

export function runNotification(
  flags: FlagValues<typeof notificationFlags>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const start = async (means: Parameters<typeof startNotificationController>[0]) =>
    startNotificationController({ ...means, surroundings: serviceSurroundings(env) });
  return runPart({ ...notificationPart, start }, flags, env);
}
