import type { Flags } from "@capstan/cli/record";
import { loopFlags, type Part } from "../parts/part-options.ts";

export const applicationSetPart: Part = {
  name: "application-set",
  env: "ARGOCD_APPLICATIONSET_CONTROLLER",
  metricsPort: 8080,
};

export const applicationSetFlags = { ...loopFlags(applicationSetPart) } as const satisfies Flags;
