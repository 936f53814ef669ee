import { objectAt, textAt } from "../json.ts";
import { documentedTypes } from "../openapi/documents.ts";
import { type Cell, count, usualCells } from "./cells.ts";
import type { Column } from "./custom.ts";

/** printers/internalversion scaleColumnDefinitions: of the Scale of any kind. */
export function scaleColumns(): readonly (Column & { cell: Cell })[] {
  const about = (type: string, field: string): string =>
    textAt(objectAt(documentedTypes()[`io.k8s.${type}`], "properties", field), "description");
  const meta = "apimachinery.pkg.apis.meta.v1.ObjectMeta";
  const column = (name: string, description: string, cell: Cell) => ({
    name,
    type: name === "Name" || name === "Age" ? "string" : "integer",
    format: "",
    description,
    priority: 0,
    cell,
  });
  return [
    column("Name", about(meta, "name"), usualCells.Name ?? (() => "")),
    column("Desired", about("api.autoscaling.v1.ScaleSpec", "replicas"), count("spec", "replicas")),
    column("Available", about("api.autoscaling.v1.ScaleStatus", "replicas"), count("status", "replicas")),
    column("Age", about(meta, "creationTimestamp"), usualCells.Age ?? (() => "")),
  ];
}
