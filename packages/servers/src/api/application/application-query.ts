import { parseLabelSelector, SelectorError, withoutEndSlashes } from "@capstan/formats";
import { type Application, CapstanError } from "@capstan/model";
import type { Identity } from "../../call.ts";
import { applicationObject } from "../access/rights.ts";
import { isServed, type ServingNeeds } from "../access/served-applications.ts";
import type { ApiContext } from "../context.ts";

export interface ApplicationQuery {
  readonly name?: string | undefined;
  readonly project?: readonly string[] | undefined;
  readonly projects?: readonly string[] | undefined;
  readonly selector?: string | undefined;
  readonly repo?: string | undefined;
  readonly appNamespace?: string | undefined;
}

/** Whether an application is asked for, and the caller may see it. */
export function applicationFilter(
  context: Pick<ApiContext, "rights"> & ServingNeeds,
  query: ApplicationQuery,
  user: Identity,
): (app: Application) => boolean {
  const { rights, controlNamespace } = context;
  const projects = new Set([...(query.project ?? []), ...(query.projects ?? [])]);
  const hasLabels = query.selector ? readSelector(query.selector) : () => true;
  const repo = query.repo && trimUrl(query.repo);
  return (app) => {
    const { metadata, spec } = app;
    if (query.name && metadata.name !== query.name) return false;
    if (query.appNamespace && metadata.namespace !== query.appNamespace) return false;
    if (projects.size > 0 && !projects.has(spec.project || "default")) return false;
    if (repo && !sourceUrls(app).some((url) => trimUrl(url) === repo)) return false;
    if (!hasLabels(metadata.labels ?? {})) return false;
    if (!isServed(context, app)) return false;
    const object = applicationObject(app, controlNamespace);
    return rights.allows(user, { resource: "applications", action: "get", object });
  };
}

const longestSelector = 8192;

export function readSelector(text: string): ReturnType<typeof parseLabelSelector> {
  const refused = (problem: string) =>
    new CapstanError({ code: "INVALID_ARGUMENT", field: "selector", problem });
  if (text.length > longestSelector) throw refused(`is longer than ${longestSelector} characters`);
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const example = "a selector is written as team=web, team!=web, team in (a,b) or !team";
    throw refused(`${error.message}; ${example}`);
  }
}

function sourceUrls({ spec }: Application): string[] {
  const sources = spec.sources && spec.sources.length > 0 ? spec.sources : [spec.source ?? []].flat();
  return sources.map((source) => source.repoURL);
}

function trimUrl(url: string): string {
  return withoutEndSlashes(url.trim().toLowerCase()).replace(/\.git$/, "");
}
