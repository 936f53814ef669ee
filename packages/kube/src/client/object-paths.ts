import { CapstanError, type Manifest } from "@capstan/model";
import type { ApiResource } from "./api-resource.ts";

type Served = Pick<ApiResource, "group" | "version" | "resource" | "namespaced">;

/** Path of a kind's list, in one namespace or everywhere. */
export function collectionPath(row: Served, namespace?: string): string {
  if (row.namespaced && namespace) requireSegment("namespace", namespace);
  const root = row.group === "" ? `/api/${row.version}` : `/apis/${row.group}/${row.version}`;
  const inside = row.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}${inside}/${row.resource}`;
}

export function objectPath(
  row: ApiResource,
  { namespace, name }: { namespace?: string | undefined; name: string },
): string {
  requireSegment("name", name);
  return `${collectionPath(row, namespace)}/${encodeURIComponent(name)}`;
}

/** Where an object is created: its name stands in no address yet, and will. Without one the server makes it. */
export function creationPath(row: Served, { namespace, name }: Manifest["metadata"]): string {
  if (name !== undefined) requireSegment("name", name);
  return collectionPath(row, namespace);
}

/**
 * Whoever reads an address takes `..` as the folder above: a ConfigMap of that name would be its namespace
 * (apimachinery pkg/api/validation/path ValidatePathSegmentName).
 */
function requireSegment(field: "name" | "namespace", text: string): void {
  if (text !== "." && text !== ".." && !/[/%]/.test(text)) return;
  const problem = `"${text}" is no ${field} of an object: it may not be . or .., nor hold / or %`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: `metadata.${field}`, problem });
}

/** Adds the query parameters that have a value. */
export function withQuery(
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  let query = "";
  for (const name of Object.keys(parameters)) {
    const value = parameters[name];
    if (value === undefined || value === false || value === "") continue;
    const text = encodeURIComponent(String(value).toWellFormed());
    query += `${query === "" ? "?" : "&"}${name}=${text}`;
  }
  return path + query;
}
