import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { type ApplyMode, fieldManager, groupOf, type Manifest } from "@capstan/model";
import { KubeError } from "../client/kube-error.ts";
import { listAt, recordAt } from "../read-json.ts";
import type { TenantClient } from "../tenant/tenant-client.ts";
import { applyClientSide } from "./apply-client-side.ts";
import { withLastApplied } from "./last-applied.ts";
import { migrateOwnership } from "./migrate-ownership.ts";
import { nameOf, refOf } from "./object-names.ts";

export interface ApplyRequest {
  object: Manifest;
  /** The object as it is in the cluster, if it is. */
  live: Manifest | undefined;
  mode: ApplyMode;
  dryRun?: boolean;
  signal: AbortSignal;
}

export interface Applied {
  object: Manifest;
  /** As kubectl says it: "deployment.apps/web configured". */
  message: string;
}

interface Needs {
  client: TenantClient;
  clock: Clock;
}

const goneMs = 30_000;
const goneStepMs = 50;

/**
 * Brings one object to its desired state as its mode says.
 * The order of options is that of Argo CD (gitops-engine pkg/sync/sync_context.go applyObject).
 */
export async function applyObject(needs: Needs, request: ApplyRequest): Promise<Applied> {
  const { live, mode } = request;
  if (mode.method === "replace" && mode.force && live && !isKeptInPlace(request.object))
    return recreate(needs, request);
  try {
    const object = await write(needs, request);
    await waitUntilServed(needs, request, object);
    return { object, message: messageOf(object, request) };
  } catch (error) {
    if (live && !request.dryRun && isMadeAnew(request, error)) return recreate(needs, request);
    throw error;
  }
}

async function write({ client, clock }: Needs, request: ApplyRequest): Promise<Manifest> {
  const { live, mode } = request;
  const options = writeOptions(request);
  const object = withoutManagedFields(request.object);
  if (!object.metadata.name) return client.create(object, options);
  if (mode.method === "client-side") return applyClientSide({ client, clock }, object, options);
  if (mode.method === "replace") {
    if (!live) return client.create(object, options);
    const resourceVersion = live.metadata.resourceVersion;
    const metadata = { ...object.metadata, ...(resourceVersion ? { resourceVersion } : {}) };
    return client.replace({ ...object, metadata }, options);
  }
  if (live && mode.migrateFrom !== undefined && !request.dryRun)
    await migrateOwnership(client, live, { migrateFrom: mode.migrateFrom, signal: request.signal });
  try {
    return await client.apply(object, { ...options, force: true });
  } catch (error) {
    if (mode.validate || !isUntyped(error)) throw error;
    return writeUntyped(client, { ...request, object });
  }
}

/** Server-side apply has no form without validation: it cannot say who owns a field that no schema knows. */
function isUntyped(error: unknown): boolean {
  return error instanceof KubeError && error.message.includes("field not declared in schema");
}

/** Validate=false: unknown fields are dropped by the server, as they are after kubectl apply --validate=false. */
async function writeUntyped(client: TenantClient, request: ApplyRequest): Promise<Manifest> {
  const { object, live } = request;
  const options = writeOptions(request);
  if (!live) return client.create(object, options);
  return client.patch(refOf(object), { type: "merge", body: object }, options);
}

function writeOptions({ dryRun, mode, signal }: ApplyRequest) {
  const fieldValidation: "Ignore" | "Strict" = mode.validate ? "Strict" : "Ignore";
  return { signal, fieldManager, fieldValidation, ...(dryRun ? { dryRun } : {}) };
}

function withoutManagedFields(object: Manifest): Manifest {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Deleting these would take everything inside with them. */
function isKeptInPlace({ kind, apiVersion }: Manifest): boolean {
  return (kind === "Namespace" && apiVersion === "v1") || isCrd({ kind, apiVersion });
}

function isCrd({ kind, apiVersion }: { kind: string; apiVersion: string }): boolean {
  return kind === "CustomResourceDefinition" && groupOf(apiVersion) === "apiextensions.k8s.io";
}

/** Whether a sync deletes an object and makes it anew for what the server says. */
export function isMadeAnew({ mode, object }: Pick<ApplyRequest, "mode" | "object">, error: unknown): boolean {
  return mode.force && isInTheWay(error) && !isKeptInPlace(object);
}

/** Immutable fields answer 422, lost races 409. */
function isInTheWay(error: unknown): boolean {
  return error instanceof KubeError && (error.code === 422 || error.code === 409);
}

async function recreate({ client, clock }: Needs, request: ApplyRequest): Promise<Applied> {
  const { object, live, dryRun, signal } = request;
  const ref = refOf(object);
  if (dryRun) return { object, message: `${nameOf(object)} would be deleted and created anew` };
  const uid = live?.metadata.uid;
  // Whoever acts must be able to see that it is gone: else it would stay away.
  await client.get(ref, signal);
  await client.delete(ref, { signal, propagation: "Background", ...(uid ? { uid } : {}) });
  const until = clock.now() + goneMs;
  while ((await client.get(ref, signal))?.metadata.uid === uid) {
    if (clock.now() > until)
      throw new Error(`${nameOf(object)} was deleted but is still there: a finalizer holds it`);
    await clock.sleep(goneStepMs, signal);
  }
  const bare = withoutManagedFields(object);
  const whole = request.mode.method === "client-side" ? withLastApplied(bare) : bare;
  const created = await client.create(whole, writeOptions(request));
  return { object: created, message: `${nameOf(object)} replaced` };
}

function messageOf(object: Manifest, { live, mode }: ApplyRequest): string {
  if (!live) return `${nameOf(object)} created`;
  if (mode.method === "replace") return `${nameOf(object)} replaced`;
  const same = live.metadata.resourceVersion === object.metadata.resourceVersion;
  return `${nameOf(object)} ${same ? "unchanged" : "configured"}`;
}

const establishedMs = 3_000;
const establishedStepMs = 20;

/** Objects of a kind can be applied as soon as its CRD is Established; discovery learns of it at once. */
async function waitUntilServed(
  { client, clock }: Needs,
  request: ApplyRequest,
  applied: Manifest,
): Promise<void> {
  if (!isCrd(applied) || request.dryRun) return;
  const { signal } = request;
  const until = clock.now() + establishedMs;
  let object: Manifest | undefined = applied;
  while (!isEstablished(object) && clock.now() < until) {
    await clock.sleep(establishedStepMs, signal);
    object = await client.get(refOf(applied), signal);
  }
  await client.discovery.refresh(signal);
}

function isEstablished(object: Manifest | undefined): boolean {
  return listAt(recordAt(object ?? {}, "status"), "conditions").some(
    (condition) => isRecord(condition) && condition.type === "Established" && condition.status === "True",
  );
}
