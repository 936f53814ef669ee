import type { Script } from "../script.ts";
import { accounts } from "./accounts.ts";
import { appsets } from "./appsets.ts";
import { connections } from "./connections.ts";
import { firstApp } from "./first-app.ts";
import { projects } from "./projects.ts";
import { syncs } from "./syncs.ts";

export const scripts: readonly Script[] = [
  ...accounts,
  ...projects,
  ...appsets,
  ...firstApp,
  ...syncs,
  ...connections,
];
