import { printLabelSelector } from "@capstan/formats";
import type { KubeObject } from "../../types.ts";
import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt, valueAt } from "../json.ts";
import { printAge } from "./age.ts";

/** A cell of one column, computed from an object at a moment (ms since the epoch). */
export type Cell = (object: KubeObject, now: number) => unknown;

/** By the column's name, as kube-apiserver spells it. */
export type Cells = Readonly<Record<string, Cell>>;

/** What a column shows where the kind says nothing else. */
export const usualCells: Cells = {
  Name: (object) => object.metadata.name ?? "",
  Age: (object, now) => printAge(object.metadata.creationTimestamp, now),
  "Created At": (object) => object.metadata.creationTimestamp ?? null,
};

export function text(...path: readonly string[]): Cell {
  return (object) => textAt(object, ...path);
}

export function textOr(fallback: string, ...path: readonly string[]): Cell {
  return (object) => textAt(object, ...path) || fallback;
}

export function count(...path: readonly string[]): Cell {
  return (object) => numberAt(object, ...path) ?? 0;
}

export function flag(...path: readonly string[]): Cell {
  return (object) => valueAt(object, ...path) === true;
}

export function length(...path: readonly string[]): Cell {
  return (object) => sizeOf(valueAt(object, ...path));
}

export function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

/** "2/3" */
export function fraction(of: readonly string[], all: readonly string[]): Cell {
  return (object) => `${numberAt(object, ...of) ?? 0}/${numberAt(object, ...all) ?? 0}`;
}

/** The wide columns of everything that has a Pod template. */
export function containerCells(...template: readonly string[]): Cells {
  const names = (object: KubeObject, field: string): string =>
    listAt(object, ...template, "spec", "containers")
      .map((container) => textAt(container, field))
      .join(",");
  return { Containers: (object) => names(object, "name"), Images: (object) => names(object, "image") };
}

export function printLabels(labels: unknown): string {
  if (!isObject(labels) || Object.keys(labels).length === 0) return "<none>";
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key]}`)
    .join(",");
}

/** metav1.FormatLabelSelector. */
export function printSelector(selector: JsonObject | undefined): string {
  return printLabelSelector(selector) || "<none>";
}

export function selector(...path: readonly string[]): Cell {
  return (object) => printSelector(objectAt(object, ...path));
}

export function conditionOf(object: unknown, type: string): unknown {
  return listAt(object, "status", "conditions").find((condition) => textAt(condition, "type") === type);
}

/** The first three, and how many more there are. */
export function firstThree(items: readonly string[]): string {
  const shown = items.slice(0, 3).join(",");
  if (items.length === 0) return "<unset>";
  return items.length > 3 ? `${shown} + ${items.length - 3} more...` : shown;
}

export function loadBalancerAddresses(object: KubeObject): string[] {
  const rows = listAt(object, "status", "loadBalancer", "ingress");
  const found = rows.map((row) => textAt(row, "ip") || textAt(row, "hostname")).filter(Boolean);
  return [...new Set(found)].sort();
}

export function nameWithDefault(object: KubeObject, annotation: string): string {
  const name = object.metadata.name ?? "";
  return object.metadata.annotations?.[annotation] === "true" ? `${name} (default)` : name;
}
