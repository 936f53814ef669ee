import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import type { KubeClient } from "@capstan/kube";
import type { Manifest } from "@capstan/model";

export interface FirstHealthyInput {
  kube: KubeClient;
  namespace: string;
  clock: Clock;
  signal: AbortSignal;
}

/** Resolves when one Application is Synced and Healthy; watches until then. */
export async function untilFirstHealthy({
  kube,
  namespace,
  clock,
  signal,
}: FirstHealthyInput): Promise<void> {
  const type = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace };
  for (;;) {
    const { items, resourceVersion } = await kube.list(type, signal);
    if (items.some(isHealthy)) return;
    for await (const { object } of kube.watch({ ...type, resourceVersion }, signal))
      if (isHealthy(object)) return;
    await clock.sleep(1_000, signal);
  }
}

function isHealthy({ status }: Manifest): boolean {
  if (!isRecord(status) || !isRecord(status.sync) || !isRecord(status.health)) return false;
  return status.sync.status === "Synced" && status.health.status === "Healthy";
}
