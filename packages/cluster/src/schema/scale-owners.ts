import type { ManagedFieldsEntry } from "../types.ts";
import { differenceOf, FieldSet } from "./merge/field-set.ts";
import { decodeManagers, encodeManagers, type Managers, managerKey } from "./merge/managers.ts";

/** Where a kind keeps the number that a Scale shows, by apiVersion. */
export type ReplicasPaths = ReadonlyMap<string, readonly string[]>;

type Entries = readonly ManagedFieldsEntry[] | undefined;

const scaleVersion = "autoscaling/v1";
const scaleReplicas = setOf(["spec", "replicas"]);

function setOf(path: readonly string[]): FieldSet {
  return new FieldSet().insert(path.map((name) => `f:${name}`));
}

function owns(fields: FieldSet, path: readonly string[]): boolean {
  return fields.has(path.map((name) => `f:${name}`));
}

/** Who owns the number, as owners of a Scale's: managedfields/scalehandler.go ToSubresource. */
export function scaleOwners(parent: Entries, paths: ReplicasPaths): ManagedFieldsEntry[] {
  const owners: Managers = new Map();
  for (const manager of decodeManagers(parent).values()) {
    const path = paths.get(manager.apiVersion);
    if (path === undefined || !owns(manager.fields, path)) continue;
    const shown = { ...manager, apiVersion: scaleVersion, fields: scaleReplicas };
    owners.set(managerKey(shown), shown);
  }
  return encodeManagers(owners);
}

interface Back {
  parent: Entries;
  scale: Entries;
  paths: ReplicasPaths;
  apiVersion: string;
}

/** The owners after a write through the Scale, which notes no time: scalehandler.go ToParent. */
export function parentOwners({ parent, scale, paths, apiVersion }: Back): ManagedFieldsEntry[] {
  const scaling = decodeManagers(scale);
  const owners: Managers = new Map();
  const times = new Map<string, string | undefined>();
  for (const [key, manager] of decodeManagers(parent)) {
    times.set(key, manager.time);
    const path = paths.get(manager.apiVersion);
    if (path === undefined || scaling.has(key) || !owns(manager.fields, path)) {
      owners.set(key, manager);
      continue;
    }
    const fields = differenceOf(manager.fields, setOf(path));
    if (!fields.isEmpty) owners.set(key, { ...manager, fields });
  }
  const path = paths.get(apiVersion) ?? [];
  for (const [key, manager] of scaling) {
    if (owners.has(key) || !owns(manager.fields, ["spec", "replicas"])) continue;
    owners.set(key, { ...manager, apiVersion, time: times.get(key), fields: setOf(path) });
  }
  return encodeManagers(owners);
}
