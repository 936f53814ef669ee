import type { Flags } from "@capstan/cli/record";
import { type Part, partFlags } from "../parts/part-options.ts";

export const applicationSetPart: Part = {
  name: "application-set",
  env: "ARGOCD_APPLICATIONSET_CONTROLLER",
  metricsPort: 8080,
};

export const applicationSetFlags = { ...partFlags(applicationSetPart) } as const satisfies Flags;
