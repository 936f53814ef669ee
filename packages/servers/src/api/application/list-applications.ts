import type { Application } from "@capstan/model";
import type { ListOf } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { applicationFilter } from "./application-query.ts";
import { fieldProjection } from "./project-fields.ts";
import { applicationGroup, isApplication } from "./read-application.ts";

type Needs = Pick<ApiContext, "live" | "rights" | "controlNamespace" | "settings">;

export function listApplications(context: Needs): HandlerOf<"listApplications"> {
  return async (query, { user }) => {
    const isWanted = applicationFilter(context, query, user);
    const items = context.live
      .ofKind(applicationGroup, "Application")
      .filter(isApplication)
      .filter(isWanted)
      .sort(byName);
    const list: ListOf<Application> = { metadata: { resourceVersion: newestVersion(items) }, items };
    return query.fields ? projected(list, query.fields) : list;
  };
}

/** A projection has fewer fields than its type says: who asks for one knows. */
function projected<T>(value: T, fields: string): T {
  return fieldProjection(fields)(value) as T;
}

function byName(left: Application, right: Application): number {
  const [a, b] = [left.metadata, right.metadata];
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return (a.namespace ?? "") < (b.namespace ?? "") ? -1 : 1;
}

/** From where a stream goes on without a gap; resource versions count up, as numbers of any length. */
export function newestVersion(
  items: readonly { metadata: { resourceVersion?: string | undefined } }[],
): string {
  let newest = 0n;
  for (const { metadata } of items) {
    const version = readVersion(metadata.resourceVersion);
    if (version > newest) newest = version;
  }
  return newest === 0n ? "" : String(newest);
}

export function readVersion(text: string | undefined): bigint {
  return text !== undefined && /^\d+$/.test(text) ? BigInt(text) : 0n;
}
