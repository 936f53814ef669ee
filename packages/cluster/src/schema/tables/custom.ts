import { findJsonPath, stringifyJson } from "@capstan/formats";
import type { KubeObject } from "../../types.ts";
import { listAt, numberAt, textAt } from "../json.ts";
import { printAge } from "./age.ts";
import type { Cell } from "./cells.ts";

export interface Column {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
}

export interface CustomColumn extends Column {
  cell: Cell;
}

const ageColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

export interface Declaring {
  crd: KubeObject;
  version: string;
  /** What is said of the Age. */
  age: string;
}

/** The columns that a CRD declares for one of its versions; an Age where it declares none. */
export function customColumns({ crd, version, age }: Declaring): CustomColumn[] {
  const row = listAt(crd, "spec", "versions").find((entry) => textAt(entry, "name") === version);
  const declared = listAt(row, "additionalPrinterColumns");
  return (declared.length ? declared : [{ ...ageColumn, description: age }]).map((column) => {
    const path = textAt(column, "jsonPath");
    const type = textAt(column, "type");
    return {
      name: textAt(column, "name"),
      type,
      format: textAt(column, "format"),
      description:
        textAt(column, "description") || `Custom resource definition column (in JSONPath format): ${path}`,
      priority: numberAt(column, "priority") ?? 0,
      cell: (object, now) => cellOf(type, findJsonPath(path, object)[0], now),
    };
  });
}

/** apiextensions-apiserver/pkg/registry/customresource/tableconvertor */
function cellOf(type: string, value: unknown, now: number): unknown {
  if (value === undefined) return null;
  switch (type) {
    case "string":
      if (value === null) return "";
      return typeof value === "object" ? stringifyJson(value) : String(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      if (typeof value !== "string") return null;
      return Number.isNaN(Date.parse(value)) ? "<invalid>" : printAge(value, now);
    default:
      return null;
  }
}
