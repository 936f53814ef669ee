import assert from "node:assert/strict";
import { eventually } from "@capstan/testkit";
import type { Attack, AttackWorld, Places } from "./attack.ts";
import { deploys } from "./deploy.ts";

const signal = () => AbortSignal.timeout(100_000);

/** The operator's: it runs what the tenant commits, as many plugins do by a round-about way. */
const plugin = `- name: shell
  generate: {command: [sh, generate.sh]}
- name: online-shell
  network: true
  generate: {command: [sh, generate.sh]}
`;
const installed = new WeakMap<AttackWorld, Promise<void>>();

function install(world: AttackWorld): Promise<void> {
  const { kube, output } = world.capstan;
  const added = async () => {
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-cm" };
    const body = { data: { configManagementPlugins: plugin } };
    await kube.patch(ref, { type: "merge", body }, { signal: signal() });
    await eventually(async () => output().includes("online-shell.sock") || undefined, {
      signal: signal(),
      describe: output,
    });
  };
  const adding = installed.get(world) ?? added();
  installed.set(world, adding);
  return adding;
}

/** The script's words stand in a ConfigMap, which the attacker sees. */
const printing = (script: string) =>
  `printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata:\\n  name: seen\\ndata:\\n  text: |\\n    seen:\\n'\n{ ${script}\n} 2>&1 | head -c 200000 | tr -cd '\\11\\12\\40-\\176' | sed 's/^/    /'\n`;

/** `says` must, `never` must not stand in what the script printed; one that `mayFail` may print nothing. */
export function runs(
  name: string,
  script: (at: Places) => string,
  { says, never, by = "shell", mayFail }: { says?: RegExp; never?: RegExp; by?: string; mayFail?: true } = {},
): Attack["play"] {
  const deployment = {
    files: (at: Places) => ({ "app/generate.sh": printing(script(at)) }),
    source: () => ({ plugin: { name: by } }),
    ends: mayFail ? ({ either: true } as const) : ({ harmless: true } as const),
  };
  return async (world) => {
    await install(world);
    await deploys(name, deployment)(world);
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: `team-${name}`, name: "seen" };
    const text = JSON.stringify((await world.capstan.kube.get(ref, signal()))?.data ?? {});
    if (says) assert.match(text, says);
    if (never) assert.doesNotMatch(text, never);
  };
}
