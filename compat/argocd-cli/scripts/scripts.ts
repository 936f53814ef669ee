import type { Script } from "../script.ts";
import { accounts } from "./accounts.ts";
import { appsets } from "./appsets.ts";
import { clusters, repositories, trust } from "./connections.ts";
import { firstApp } from "./first-app.ts";
import { projects } from "./projects.ts";
import { syncs } from "./syncs.ts";

/** Played at the same time: what one list changes no other list tells of. */
export const lanes: readonly (readonly Script[])[] = [
  [...accounts, ...projects, ...trust, ...repositories],
  [...appsets, ...firstApp, ...syncs, ...clusters],
];
