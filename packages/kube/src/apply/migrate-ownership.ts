import { fieldManager, isRecord, type ManagedFieldsEntry, type Manifest } from "@capstan/model";
import { isConflict, isNotFound } from "../client/kube-error.ts";
import type { TenantClient } from "../tenant/tenant-client.ts";

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
  const { resourceVersion, namespace, name } = live.metadata;
  if (!migrated || !name) return;
  const patch = [
    { op: "replace", path: "/metadata/managedFields", value: migrated },
    { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
  ];
  const ref = { apiVersion: live.apiVersion, kind: live.kind, namespace, name };
  try {
    await client.patch(ref, { type: "json", body: patch }, { signal });
  } catch (error) {
    // Someone wrote in between: the next sync finds the old entries again.
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

/** The new managedFields, or undefined when nothing is to be moved. */
export function migratedFields(live: Manifest, migrateFrom: string): ManagedFieldsEntry[] | undefined {
  const entries = live.metadata.managedFields ?? [];
  const isClientSide = (entry: ManagedFieldsEntry): boolean =>
    entry.operation === "Update" &&
    !entry.subresource &&
    (entry.manager === migrateFrom || (entry.manager === fieldManager && ownsLastApplied(entry)));
  const moved = entries.filter(isClientSide);
  if (moved.length === 0) return undefined;
  const isOurs = (entry: ManagedFieldsEntry) =>
    entry.manager === fieldManager && entry.operation === "Apply" && !entry.subresource;
  const ours = entries.find(isOurs);
  let fields: Fields = ours?.fieldsV1 ?? {};
  for (const entry of moved) fields = unionFields(fields, entry.fieldsV1 ?? {});
  const target: ManagedFieldsEntry = {
    ...(ours ?? moved[0] ?? {}),
    manager: fieldManager,
    operation: "Apply",
    fieldsV1: fields,
  };
  return [...entries.filter((entry) => !isClientSide(entry) && entry !== ours), target];
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
