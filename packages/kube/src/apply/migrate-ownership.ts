import { isRecord } from "@capstan/formats";
import { fieldManager, type ManagedFieldsEntry, type Manifest } from "@capstan/model";
import { isConflict, isNotFound } from "../client/kube-error.ts";
import type { TenantClient } from "../tenant/tenant-client.ts";
import { isOurApply } from "./last-applied.ts";
import { refOf } from "./object-names.ts";

type Fields = { [field: string]: unknown };

const lastApplied = "f:kubectl.kubernetes.io/last-applied-configuration";

/**
 * Moves the fields of client-side appliers to our server-side manager, so that a field that left the
 * repository leaves the cluster too. Source: client-go util/csaupgrade UpgradeManagedFields; Argo CD itself,
 * when it applies client-side, writes as argocd-controller with operation Update.
 */
export async function migrateOwnership(
  client: TenantClient,
  live: Manifest,
  { migrateFrom, signal }: { migrateFrom: string; signal: AbortSignal },
): Promise<void> {
  const migrated = migratedFields(live, migrateFrom);
  if (migrated) await writeOwnership(client, { live, managedFields: migrated }, signal);
}

/**
 * The other way about: who applies client-side from now on owns nothing by server-side apply, else a server-side
 * apply of another day would take what was owned then for what was applied last.
 */
export async function releaseOwnership(
  client: TenantClient,
  live: Manifest,
  signal: AbortSignal,
): Promise<Manifest> {
  const managedFields = joined(live.metadata.managedFields ?? [], isOurApply, "Update");
  return managedFields ? writeOwnership(client, { live, managedFields }, signal) : live;
}

async function writeOwnership(
  client: TenantClient,
  { live, managedFields }: { live: Manifest; managedFields: ManagedFieldsEntry[] },
  signal: AbortSignal,
): Promise<Manifest> {
  const patch = [
    { op: "replace", path: "/metadata/managedFields", value: managedFields },
    { op: "replace", path: "/metadata/resourceVersion", value: live.metadata.resourceVersion },
  ];
  try {
    return await client.patch(refOf(live), { type: "json", body: patch }, { signal });
  } catch (error) {
    // Someone wrote in between: the next sync finds the old entries again.
    if (!isConflict(error) && !isNotFound(error)) throw error;
    return live;
  }
}

/** The new managedFields, or undefined when nothing is to be moved. */
export function migratedFields(live: Manifest, migrateFrom: string): ManagedFieldsEntry[] | undefined {
  const isClientSide = (entry: ManagedFieldsEntry): boolean =>
    entry.operation === "Update" &&
    !entry.subresource &&
    (entry.manager === migrateFrom || (entry.manager === fieldManager && ownsLastApplied(entry)));
  return joined(live.metadata.managedFields ?? [], isClientSide, "Apply");
}

/** The entries with those that move joined to ours of an operation. */
function joined(
  entries: readonly ManagedFieldsEntry[],
  moves: (entry: ManagedFieldsEntry) => boolean,
  operation: "Apply" | "Update",
): ManagedFieldsEntry[] | undefined {
  const moved = entries.filter(moves);
  if (moved.length === 0) return undefined;
  const isOurs = (entry: ManagedFieldsEntry) =>
    entry.manager === fieldManager && entry.operation === operation && !entry.subresource && !moves(entry);
  const ours = entries.find(isOurs);
  let fields: Fields = ours?.fieldsV1 ?? {};
  for (const entry of moved) fields = unionFields(fields, entry.fieldsV1 ?? {});
  const target: ManagedFieldsEntry = {
    ...(ours ?? moved[0] ?? {}),
    manager: fieldManager,
    operation,
    fieldsV1: fields,
  };
  return [...entries.filter((entry) => !moves(entry) && entry !== ours), target];
}

function ownsLastApplied({ fieldsV1 }: ManagedFieldsEntry): boolean {
  const metadata = fieldsV1?.["f:metadata"];
  const annotations = isRecord(metadata) ? metadata["f:annotations"] : undefined;
  return isRecord(annotations) && lastApplied in annotations;
}

function unionFields(left: Fields, right: Fields): Fields {
  const union: Fields = { ...left };
  for (const [field, below] of Object.entries(right)) {
    const before = union[field];
    union[field] = isRecord(before) && isRecord(below) ? unionFields(before, below) : below;
  }
  return union;
}
