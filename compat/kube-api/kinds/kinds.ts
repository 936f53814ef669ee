import { accessKinds } from "./access.ts";
import { clusterKinds } from "./cluster.ts";
import { coreKinds } from "./core.ts";
import { customKinds } from "./custom.ts";
import type { Kind } from "./kind.ts";
import { serviceKinds } from "./services.ts";
import { workloadKinds } from "./workloads.ts";

export const kinds: readonly Kind[] = [
  ...coreKinds,
  ...workloadKinds,
  ...serviceKinds,
  ...accessKinds,
  ...clusterKinds,
  ...customKinds,
];
