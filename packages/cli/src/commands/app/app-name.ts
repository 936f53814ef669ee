import { nearestName } from "@capstan/formats";
import type { Application } from "@capstan/model";
import type { Api } from "../../api.ts";
import { ApiError } from "../../api.ts";
import { UsageError } from "../../command.ts";

export const appNamespaceFlag = {
  "app-namespace": { kind: "string", short: "N", help: "Namespace of the application", value: "NAMESPACE" },
} as const;

export interface AppRef {
  name: string;
  appNamespace?: string;
}

/** `name` or `namespace/name` (argo.ParseFromQualifiedName). */
export function readAppName(text: string, namespace: string | undefined): AppRef {
  const slash = text.indexOf("/");
  if (slash > 0) return { name: text.slice(slash + 1), appNamespace: text.slice(0, slash) };
  return { name: text, ...(namespace ? { appNamespace: namespace } : {}) };
}

/** Adds to "does not exist" the name that was probably meant. */
export async function fetchApp(
  api: Api,
  ref: AppRef,
  options: { refresh?: string } = {},
): Promise<Application> {
  try {
    return await api.call("getApplication", { ...ref, ...options });
  } catch (error) {
    throw await withSuggestion(api, ref, error);
  }
}

/** Wraps calls on one application, so that a mistyped name is answered helpfully everywhere. */
export async function onApp<T>(api: Api, ref: AppRef, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw await withSuggestion(api, ref, error);
  }
}

async function withSuggestion(api: Api, { name }: AppRef, error: unknown): Promise<unknown> {
  if (!(error instanceof ApiError) || !error.isNotFound || !error.message.includes(`application "`))
    return error;
  const near = nearestName(name, await appNames(api).catch(() => []));
  if (!near) return error;
  return new ApiError(`application "${name}" does not exist; did you mean "${near}"?`, error);
}

export async function appNames(api: Api): Promise<string[]> {
  const { items } = await api.call("listApplications", { fields: "items.metadata.name" });
  return items.map(({ metadata }) => metadata.name);
}

/** All that are named, or selected by label or project. */
export async function selectApps(
  api: Api,
  { names, selector, projects = [], namespace }: Selected,
): Promise<AppRef[]> {
  const named = names.map((name) => readAppName(name, namespace));
  if (!selector && projects.length === 0) {
    if (named.length === 0) throw new UsageError("name applications, or select them with -l");
    return named;
  }
  const { items } = await api.call("listApplications", {
    selector,
    project: projects,
    appNamespace: namespace,
    fields: "items.metadata.name,items.metadata.namespace",
  });
  if (items.length === 0) {
    const filters = [
      selector && `selector ${selector}`,
      projects.length > 0 && `projects ${projects.join(", ")}`,
    ];
    throw new UsageError(`No matching apps found for filter: ${filters.filter(Boolean).join(" ")}`);
  }
  const found = items.map(({ metadata }) => readAppName(`${metadata.namespace}/${metadata.name}`, undefined));
  return [...named, ...found];
}

interface Selected {
  readonly names: readonly string[];
  readonly selector: string | undefined;
  readonly projects?: readonly string[] | undefined;
  readonly namespace: string | undefined;
}
