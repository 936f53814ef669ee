import type { Flags } from "@capstan/cli/record";
import { loopFlags, type Part } from "../parts/part-options.ts";

export const notificationPart: Part = {
  name: "notifications",
  env: "ARGOCD_NOTIFICATIONS_CONTROLLER",
  metricsPort: 9001,
};

export const notificationFlags = { ...loopFlags(notificationPart) } as const satisfies Flags;
