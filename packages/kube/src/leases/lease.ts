import { isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import type { KubeClient } from "../client/kube-client.ts";

/** A Lease (coordination.k8s.io/v1) as far as holding it goes. */
export interface Lease {
  readonly name: string;
  readonly resourceVersion: string;
  /** Empty where it was given back. */
  readonly holder: string;
  /** Only compared with itself: other machines have other clocks. */
  readonly renewTime: string;
  readonly transitions: number;
}

export interface LeasePlace {
  readonly client: KubeClient;
  readonly namespace: string;
}

/**
 * Whoever renewed nothing for `durationMs` is gone. He himself stops `marginMs` sooner, by his own count, so that what he
 * has begun by then is over when another one begins.
 */
export const leaseTimes = { durationMs: 8_000, marginMs: 3_000, renewMs: 2_000 } as const;

const apiVersion = "coordination.k8s.io/v1";
export const leaseType = { apiVersion, kind: "Lease" } as const;

export function readLease({ metadata, spec }: Manifest): Lease {
  const { holderIdentity, renewTime, leaseTransitions } = isRecord(spec) ? spec : {};
  return {
    name: metadata.name ?? "",
    resourceVersion: metadata.resourceVersion ?? "",
    holder: typeof holderIdentity === "string" ? holderIdentity : "",
    renewTime: typeof renewTime === "string" ? renewTime : "",
    transitions: typeof leaseTransitions === "number" ? leaseTransitions : 0,
  };
}

/** What a Lease says while it is held. */
function heldSpec(holder: string, nowMs: number, transitions: number) {
  return {
    holderIdentity: holder,
    leaseDurationSeconds: leaseTimes.durationMs / 1000,
    // MicroTime of meta/v1.
    renewTime: new Date(nowMs).toISOString().replace("Z", "000Z"),
    leaseTransitions: transitions,
  };
}

interface Holding {
  readonly name: string;
  readonly holder: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Rejects with a conflict where somebody else was sooner. */
export async function createLease({ client, namespace }: LeasePlace, holding: Holding): Promise<Lease> {
  const { name, holder, labels, nowMs, signal } = holding;
  const metadata = { name, namespace, ...(labels ? { labels } : {}) };
  const object = { ...leaseType, metadata, spec: heldSpec(holder, nowMs, 0) };
  return readLease(await client.create(object, { fieldManager: "capstan", signal }));
}

/** The same: bound to what was read. */
export async function takeLease(
  { client, namespace }: LeasePlace,
  known: Lease,
  { holder, nowMs, signal }: Omit<Holding, "name">,
): Promise<Lease> {
  const transitions = known.transitions + (known.holder === holder ? 0 : 1);
  const body = {
    metadata: { resourceVersion: known.resourceVersion },
    spec: heldSpec(holder, nowMs, transitions),
  };
  const ref = { ...leaseType, namespace, name: known.name };
  return readLease(await client.patch(ref, { type: "merge", body }, { fieldManager: "capstan", signal }));
}
