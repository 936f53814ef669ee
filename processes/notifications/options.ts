import type { Flags } from "@capstan/cli/record";
import { type Part, partFlags } from "../parts/part-options.ts";

export const notificationPart: Part = {
  name: "notifications",
  env: "ARGOCD_NOTIFICATIONS_CONTROLLER",
  metricsPort: 9001,
};

export const notificationFlags = { ...partFlags(notificationPart) } as const satisfies Flags;
