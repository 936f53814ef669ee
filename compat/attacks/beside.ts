import type { Attack } from "./attack.ts";
import { fineConfigMap } from "./config-maps.ts";
import { type Deployment, deploys } from "./deploy.ts";

/** The bomb, and an ordinary application beside it. */
export function beside(name: string, bomb: Deployment): Attack["play"] {
  return async (world) => {
    const ordinary = deploys(`beside-${name}`, {
      files: () => ({ "app/a.yaml": fineConfigMap }),
      ends: { harmless: true },
    });
    await Promise.all([deploys(name, bomb)(world), ordinary(world)]);
  };
}
