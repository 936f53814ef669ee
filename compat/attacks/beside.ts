import type { Attack } from "./attack.ts";
import { type Deployment, deploys } from "./deploy.ts";

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: fine\n";

/** The bomb, and an ordinary application beside it. */
export function beside(name: string, bomb: Deployment): Attack["play"] {
  return async (world) => {
    const ordinary = deploys(`beside-${name}`, {
      files: () => ({ "app/a.yaml": configMap }),
      ends: { harmless: true },
    });
    await Promise.all([deploys(name, bomb)(world), ordinary(world)]);
  };
}
