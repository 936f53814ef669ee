import type { Manifest } from "@capstan/model";
import { type ApplicationView, untilApplication } from "./applications.ts";
import { eventually } from "./real-clock.ts";
import type { SmallWorld } from "./small-world.ts";

const apiVersion = "argoproj.io/v1alpha1";

export function applicationRef(name: string) {
  return { apiVersion, kind: "Application", namespace: "argocd", name };
}

/** What a webhook does: asks for a look at the repository. */
export async function refresh(
  world: SmallWorld,
  name: string,
  how: "normal" | "hard" = "normal",
): Promise<void> {
  const signal = AbortSignal.timeout(100_000);
  const body = { metadata: { annotations: { "argocd.argoproj.io/refresh": how } } };
  await world.kube.patch(applicationRef(name), { type: "merge", body }, { signal });
}

/** What `app sync` does. */
export async function requestSync(
  world: SmallWorld,
  name: string,
  { retry, ...sync }: Record<string, unknown> = {},
): Promise<void> {
  const signal = AbortSignal.timeout(100_000);
  const body = { operation: { sync, initiatedBy: { username: "admin" }, ...(retry ? { retry } : {}) } };
  await world.kube.patch(applicationRef(name), { type: "merge", body }, { signal });
}

/** Waits for the end of an operation that began after `after` (the startedAt or count of an earlier one). */
export async function untilOperation(world: SmallWorld, name: string): Promise<ApplicationView> {
  return untilApplication(world.kube, name, ({ phase }) => ["Succeeded", "Failed", "Error"].includes(phase));
}

export async function readObject(
  world: SmallWorld,
  ref: { apiVersion: string; kind: string; namespace?: string; name: string },
): Promise<Manifest | undefined> {
  return world.kube.get(ref, AbortSignal.timeout(100_000));
}

export async function untilObject(
  world: SmallWorld,
  ref: { apiVersion: string; kind: string; namespace?: string; name: string },
  isSo: (object: Manifest | undefined) => boolean,
): Promise<Manifest | undefined> {
  const signal = AbortSignal.timeout(100_000);
  let last: Manifest | undefined;
  const found = await eventually(
    async () => {
      last = await world.kube.get(ref, signal);
      return isSo(last) ? { object: last } : undefined;
    },
    { signal, describe: () => `${ref.kind} ${ref.name} is still ${JSON.stringify(last)}` },
  );
  return found.object;
}

export const configMapRef = (namespace: string, name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  namespace,
  name,
});
