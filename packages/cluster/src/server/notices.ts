import type { ApiResponse } from "../types.ts";
import type { ResourceCall } from "./call.ts";
import { readBody } from "./read-object.ts";

/** What is warned of whatever becomes of the request: deprecated kinds, as kube-apiserver does, and what is simulated. */
export function noticesOf({ rules, conversion, info }: ResourceCall["served"]): string[] {
  const notices = rules.notice === undefined ? [] : [rules.notice];
  if (conversion !== undefined && info.version !== info.storageVersion && conversion.isSimulated)
    notices.push(
      "capstan: the conversion webhook was not called: the Pods of its Service are simulated; only apiVersion was changed",
    );
  return notices;
}

/** Of a deletion whose options have been understood. */
export function deletionNotices({ served, request, query }: ResourceCall): string[] {
  const notice = served.rules.deletion?.undecided;
  if (notice === undefined) return [];
  const isChosen =
    query.has("propagationPolicy") ||
    query.has("orphanDependents") ||
    /"(?:propagationPolicy|orphanDependents)"/.test(readBody(request));
  return isChosen ? [] : [notice];
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
