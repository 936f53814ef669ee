import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject, ResourceInfo } from "../types.ts";
import { dataFolder } from "./builtin-definitions.ts";
import { type Cell, type Cells, usualCells } from "./tables/cells.ts";
import { type Column, customColumns } from "./tables/custom.ts";

/** What kube-apiserver's printer makes of the kind (pkg/printers/internalversion/printers.go). */
export interface TableRules {
  /** By the column's name, where the cell is not a usual one. */
  readonly cells?: Cells;
  /** The columns, where they are not those of data/columns.json. */
  readonly columns?: () => readonly TableColumn[];
  readonly rowConditions?: (object: KubeObject) => unknown;
  /** Usual cells that follow without a column of their own. */
  readonly undeclaredCells?: readonly string[];
  /** An annotation that the internal type does not have, from which the metadata of a row is taken. */
  readonly derivedAnnotation?: string;
}

export interface TableColumn extends Column {
  readonly cell: Cell;
}

export interface TableInput {
  info: ResourceInfo;
  rules: TableRules;
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

function columnsOf({ info, rules, crd }: TableInput): readonly TableColumn[] {
  if (rules.columns) return rules.columns();
  builtinColumns ??= JSON.parse(readFileSync(join(dataFolder, "columns.json"), "utf8"));
  const { cells: own = {} } = rules;
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
  { rules, includeObject, version = "v1", now }: TableInput,
): Record<string, unknown> {
  const conditions = rules.rowConditions?.(object);
  const further = (rules.undeclaredCells ?? []).map((name) => usualCells[name]);
  return {
    cells: [...columns.map(({ cell }) => cell), ...further].map((cell) => cell?.(object, now)),
    ...(conditions ? { conditions } : {}),
    object: included(object, includeObject, { rules, version }),
  };
}

interface Showing {
  rules: TableRules;
  /** Of meta.k8s.io. */
  version: string;
}

function included(object: KubeObject, how: TableInput["includeObject"], showing: Showing): unknown {
  if (how === "None") return null;
  return how === "Object" ? object : partialMetadata(object, showing);
}

export function partialMetadata(object: KubeObject, { rules, version }: Showing): Record<string, unknown> {
  const metadata = withoutDerived(object, rules);
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata };
}

function withoutDerived(
  { metadata }: KubeObject,
  { derivedAnnotation: derived = "" }: TableRules,
): KubeObject["metadata"] {
  if (metadata.annotations?.[derived] === undefined) return metadata;
  const { [derived]: _gone, ...annotations } = metadata.annotations;
  const { annotations: _old, ...rest } = metadata;
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
}
