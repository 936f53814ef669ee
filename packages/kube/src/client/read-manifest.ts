import { isRecord } from "@capstan/formats";
import { isManifest, type Manifest } from "@capstan/model";
import { listAt, recordAt, textAt } from "../read-json.ts";

export function readManifest(value: unknown): Manifest {
  if (isManifest(value)) return value;
  throw new Error("the API server's answer is not an object with apiVersion, kind and metadata");
}

export interface Page {
  items: Manifest[];
  resourceVersion: string;
  next: string | undefined;
}

/** Items of a list carry neither apiVersion nor kind when they come from a typed server; both are filled in. */
export function readPage(list: Record<string, unknown>, type: { apiVersion: string; kind: string }): Page {
  const metadata = recordAt(list, "metadata");
  const items: Manifest[] = [];
  for (const item of listAt(list, "items")) {
    if (!isRecord(item)) continue;
    const full =
      typeof item.kind === "string" ? item : { apiVersion: type.apiVersion, kind: type.kind, ...item };
    if (isManifest(full)) items.push(full);
  }
  return {
    items,
    resourceVersion: textAt(metadata, "resourceVersion") ?? "",
    next: textAt(metadata, "continue") || undefined,
  };
}
