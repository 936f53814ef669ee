import type { ApiResponse } from "../types.ts";
import type { ResourceCall } from "./call.ts";
import { readBody } from "./read-object.ts";

const deprecations: Readonly<Record<string, string>> = {
  "/endpoints": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  "/componentstatuses": "v1 ComponentStatus is deprecated in v1.19+",
};

const orphanedPods =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

/** What kube-apiserver warns of whatever becomes of the request: deprecated kinds. */
export function noticesOf({ info }: ResourceCall["served"]): string[] {
  const deprecated = deprecations[`${info.group}/${info.resource}`];
  return deprecated === undefined ? [] : [deprecated];
}

/** Of a deletion whose options have been understood (pkg/registry/batch/job storage.Delete). */
export function deletionNotices({ served, request, query }: ResourceCall): string[] {
  const { group, resource } = served.info;
  if (`${group}/${resource}` !== "batch/jobs") return [];
  const isChosen =
    query.has("propagationPolicy") ||
    query.has("orphanDependents") ||
    /"(?:propagationPolicy|orphanDependents)"/.test(readBody(request));
  return isChosen ? [] : [orphanedPods];
}

export function withNotices(response: ApiResponse, notices: readonly string[]): ApiResponse {
  if (notices.length === 0) return response;
  const { warning } = response.headers;
  const all = [...notices.map(writeWarning), ...(warning === undefined ? [] : [warning])];
  return { ...response, headers: { ...response.headers, warning: all.join(", ") } };
}

/** RFC 7234's form of a warning, as apiserver's recorder writes it. */
export function writeWarning(text: string): string {
  return `299 - "${text.replaceAll(/[\\"]/g, "\\$&")}"`;
}
