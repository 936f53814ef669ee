import { type Application, CapstanError, projectOf } from "@capstan/model";
import { isServed } from "../access/served-applications.ts";
import { applicationGroup, isApplication } from "../application/read-application.ts";
import type { ApiContext } from "../context.ts";
import { type Badge, drawBadge } from "./draw-badge.ts";

type Needs = Pick<ApiContext, "live" | "settings" | "controlNamespace">;

const unknown: Badge = { health: "Unknown", sync: "Unknown" };
const name = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const maxWidth = 2000;

/**
 * The picture of an application's state, or of a project's, for anybody: once `statusbadge.enabled` says so. Until then
 * it is the same picture whatever is asked for, so that nobody learns which applications there are (server/badge).
 */
export function readBadge(context: Needs, query: URLSearchParams): string {
  if (!context.settings.current.general.page.badgeEnabled) return drawBadge(unknown);
  const wide = Number(query.get("width") ?? Number.NaN);
  const width = Number.isSafeInteger(wide) && wide > 0 ? { width: Math.min(wide, maxWidth) } : {};
  return drawBadge({ ...stateOf(context, query), ...width });
}

function stateOf(context: Needs, query: URLSearchParams): Badge {
  const namespace = readName(query, "namespace") ?? context.controlNamespace;
  const app = readName(query, "name");
  const projects = query.getAll("project").filter((one) => one !== "");
  if (app !== undefined) return ofApplication(context, { app, namespace, query });
  if (projects.length === 0) return unknown;
  const found = context.live
    .ofKind(applicationGroup, "Application")
    .filter(isApplication)
    .filter((one) => one.metadata.namespace === namespace && projects.includes(projectOf(one)))
    .filter((one) => isServed(context, one));
  if (found.length === 0) return unknown;
  const all = (is: (one: Application) => boolean) => found.every(is);
  return {
    health: all(({ status }) => status?.health?.status === "Healthy") ? "Healthy" : "Degraded",
    sync: all(({ status }) => status?.sync?.status === "Synced") ? "Synced" : "OutOfSync",
  };
}

function readName(query: URLSearchParams, field: string): string | undefined {
  const given = query.get(field);
  if (given === null || name.test(given)) return given ?? undefined;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field, problem: "is no name" });
}

interface Asked {
  app: string;
  namespace: string;
  query: URLSearchParams;
}

function ofApplication(context: Needs, { app, namespace, query }: Asked): Badge {
  const found = context.live.get({ group: applicationGroup, kind: "Application", namespace, name: app });
  if (!isApplication(found) || !isServed(context, found)) return { health: "Not Found", sync: "" };
  const { health, sync, operationState } = found.status ?? {};
  const wants = (field: string) => query.get(field)?.toLowerCase() === "true";
  const { revisions = [], revision = "" } = operationState?.syncResult ?? {};
  const synced = revisions[0] ?? revision;
  const shown = wants("keepFullRevision") ? synced.slice(0, 100) : synced.slice(0, 7);
  return {
    health: health?.status ?? "Unknown",
    sync: sync?.status ?? "Unknown",
    ...(wants("revision") && shown !== "" ? { revision: shown } : {}),
    ...(wants("showAppName") ? { title: app } : {}),
  };
}
