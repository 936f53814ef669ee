import type { KubeObject, ResourceInfo } from "../types.ts";

export interface TableInput {
  info: ResourceInfo;
  objects: readonly KubeObject[];
  crd?: KubeObject;
  includeObject: "Metadata" | "Object" | "None";
  now: number;
  list?: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

export function tableFor(input: TableInput): Record<string, unknown> {
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: { ...input.list },
    columnDefinitions: [{ name: "Name", type: "string", format: "name", description: "", priority: 0 }],
    rows: input.objects.map((object) => ({ cells: [object.metadata.name ?? ""] })),
  };
}
