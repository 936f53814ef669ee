import {
  type ApplicationSpec,
  annotationKeys,
  formatSyncOption,
  keyOf,
  type Manifest,
  type SyncOptions,
  versionOf,
} from "@capstan/model";
import { isManagedBy, ownManagers, readFieldSet } from "../diff/field-set.ts";
import { decideApply } from "./decide-apply.ts";
import { isNamespaceObject } from "./kind-order.ts";
import type { SyncPlanInput } from "./plan-sync.ts";
import type { ApplyTask } from "./sync-plan.ts";

/**
 * CreateNamespace: a PreSync task for the destination namespace, unless git has it or it is there already.
 * Its metadata is applied when managedNamespaceMetadata asks for some. The namespace carries no tracking, so that
 * removing the application never prunes it (Argo CD: gitops-engine pkg/sync/sync_context.go).
 */
export function planNamespace(input: SyncPlanInput, options: SyncOptions): ApplyTask[] {
  const name = input.app.spec.destination.namespace ?? "";
  if (!options.createNamespace || name === "") return [];
  const inGit = input.resources.some(
    ({ target, key }) => target !== undefined && isNamespaceObject(target) && key.name === name,
  );
  if (inGit) return [];
  const target = managedNamespace(name, input.app.spec);
  const live = input.destinationNamespace;
  if (live !== undefined && hasAll(live, target) && !hasMoreOfOurs(live, target, input.app.spec)) return [];
  return [
    {
      act: "apply",
      id: `PreSync//Namespace//${name}`,
      phase: "PreSync",
      wave: 0,
      key: keyOf(target),
      version: versionOf(target.apiVersion),
      target,
      // Whatever else holds: labels and annotations of others stay.
      mode: {
        ...decideApply({ app: input.app, operation: input.operation, options, target, live }),
        method: "server-side",
      },
      change: live === undefined ? "create" : "update",
      skipDryRun: false,
      createsNamespace: true,
      ...(live === undefined ? {} : { live }),
    },
  ];
}

/**
 * The destination's namespace as managedNamespaceMetadata has it. The annotation tells nothing new here, but a namespace
 * that goes from Argo CD to Capstan, or back, is not written for want of it (controller/sync_namespace.go
 * appendSSAAnnotation).
 */
export function managedNamespace(name: string, { syncPolicy }: ApplicationSpec): Manifest {
  const managed = syncPolicy?.managedNamespaceMetadata;
  const metadata: Manifest["metadata"] = { name };
  if (managed?.labels !== undefined) metadata.labels = managed.labels;
  if (managed !== undefined)
    metadata.annotations = {
      ...managed.annotations,
      [annotationKeys.syncOptions]: formatSyncOption("ServerSideApply", true),
    };
  return { apiVersion: "v1", kind: "Namespace", metadata };
}

function hasAll(live: Manifest, { metadata }: Manifest): boolean {
  return (
    contains(live.metadata.labels, metadata.labels) &&
    contains(live.metadata.annotations, metadata.annotations)
  );
}

/** What managedNamespaceMetadata asked for once, and does no longer. */
function hasMoreOfOurs(live: Manifest, { metadata }: Manifest, { syncPolicy }: ApplicationSpec): boolean {
  if (syncPolicy?.managedNamespaceMetadata === undefined) return false;
  const owned = readFieldSet(live)?.fields.get("metadata")?.fields;
  return (["labels", "annotations"] as const).some((part) =>
    [...(owned?.get(part)?.fields ?? [])].some(
      ([key, of]) => isManagedBy(of, ownManagers) && metadata[part]?.[key] === undefined,
    ),
  );
}

type Texts = { readonly [key: string]: string };

function contains(present: Texts = {}, wanted: Texts = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => present[key] === value);
}
