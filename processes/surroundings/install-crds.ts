import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import type { KubeClient } from "@capstan/kube";
import { crds } from "@capstan/model";

const crdLimitMs = 30_000;

/** A real API server serves a new kind some time after its CRD is there. */
export async function installCrds({
  kube,
  clock,
  signal,
}: {
  kube: KubeClient;
  clock: Clock;
  signal: AbortSignal;
}): Promise<void> {
  const wanted = crds();
  await Promise.all(
    wanted.map((crd) => kube.apply(crd, { fieldManager: "capstan-install", force: true, signal })),
  );
  const limited = AbortSignal.any([signal, AbortSignal.timeout(crdLimitMs)]);
  for (;;) {
    const served = await kube.discovery.refresh(limited);
    if (wanted.every(({ spec }) => served.some(({ kind, group }) => isSame(spec, { kind, group })))) return;
    await clock.sleep(50, limited);
  }
}

function isSame(spec: unknown, { kind, group }: { kind: string; group: string }): boolean {
  return isRecord(spec) && isRecord(spec.names) && spec.names.kind === kind && spec.group === group;
}
