import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject, ResourceInfo } from "../types.ts";
import { dataFolder } from "./builtin-definitions.ts";
import { type Cell, usualCells } from "./tables/cells.ts";
import { type Column, customColumns } from "./tables/custom.ts";
import { cellsOf } from "./tables/kinds.ts";
import { podRowConditions } from "./tables/pod.ts";
import { scaleColumns } from "./tables/scale.ts";

export interface TableInput {
  info: ResourceInfo;
  objects: readonly KubeObject[];
  /** The definition, where the kind is a custom one. */
  crd?: KubeObject;
  includeObject: "Metadata" | "Object" | "None";
  /** Of meta.k8s.io. */
  version?: string;
  now: number;
  list?: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

let builtinColumns: Readonly<Record<string, readonly Column[]>> | undefined;

function columnsOf({ info, crd }: TableInput): readonly (Column & { cell: Cell })[] {
  if (info.group === "autoscaling" && info.kind === "Scale") return scaleColumns();
  builtinColumns ??= JSON.parse(readFileSync(join(dataFolder, "columns.json"), "utf8"));
  const own = cellsOf[`${info.group}/${info.resource}`] ?? {};
  const known = builtinColumns?.[`${info.group}/${info.version}/${info.resource}`];
  if (!crd && known)
    return known.map((column) => ({
      ...column,
      cell: own[column.name] ?? usualCells[column.name] ?? (() => ""),
    }));
  const [name, , age] = builtinColumns?.["/v1/configmaps"] ?? [];
  const first = {
    name: "Name",
    type: "string",
    format: "name",
    description: name?.description ?? "",
    priority: 0,
  };
  const others = crd ? customColumns({ crd, version: info.version, age: age?.description ?? "" }) : [];
  return [{ ...first, cell: usualCells.Name ?? (() => "") }, ...others];
}

/** The Table that kubectl asks for: columns of the kind, one row for each object. */
export function tableFor(input: TableInput): Record<string, unknown> {
  const columns = columnsOf(input);
  const [only] = input.objects;
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${input.version ?? "v1"}`,
    metadata: input.list ?? { resourceVersion: only?.metadata.resourceVersion ?? "" },
    columnDefinitions: columns.map(({ cell: _cell, ...definition }) => definition),
    rows: input.objects.map((object) => rowOf(object, columns, input)),
  };
}

function rowOf(
  object: KubeObject,
  columns: readonly { cell: Cell }[],
  { info, includeObject, version = "v1", now }: TableInput,
): Record<string, unknown> {
  const conditions = info.kind === "Pod" && info.group === "" ? podRowConditions(object) : undefined;
  return {
    cells: [...columns.map(({ cell }) => cell(object, now)), ...undeclaredCells(info, object, now)],
    ...(conditions ? { conditions } : {}),
    object: included(object, includeObject, version),
  };
}

/** printers/internalversion printIPAddress adds an age that no column is declared for. */
function undeclaredCells({ group, kind }: ResourceInfo, object: KubeObject, now: number): unknown[] {
  return group === "networking.k8s.io" && kind === "IPAddress" ? [usualCells.Age?.(object, now)] : [];
}

function included(object: KubeObject, how: TableInput["includeObject"], version: string): unknown {
  if (how === "None") return null;
  if (how === "Object") return object;
  return partialMetadata(object, version);
}

export function partialMetadata(object: KubeObject, version: string): Record<string, unknown> {
  const metadata = withoutDerived(object);
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata };
}

/** Not in the internal type, from which the metadata is taken. */
const derived = "deprecated.daemonset.template.generation";

function withoutDerived({ kind, metadata }: KubeObject): KubeObject["metadata"] {
  if (kind !== "DaemonSet" || metadata.annotations?.[derived] === undefined) return metadata;
  const { [derived]: _gone, ...annotations } = metadata.annotations;
  const { annotations: _old, ...rest } = metadata;
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
}
