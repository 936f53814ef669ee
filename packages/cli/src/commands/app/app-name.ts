import { nearestName } from "@capstan/formats";
import type { Application } from "@capstan/model";
import type { Api } from "../../api.ts";
import { ApiError } from "../../api.ts";

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
  {
    names,
    selector,
    projects,
    namespace,
  }: {
    names: readonly string[];
    selector: string | undefined;
    projects?: readonly string[] | undefined;
    namespace: string | undefined;
  },
): Promise<AppRef[]> {
  if (!selector && !projects?.length) return names.map((name) => readAppName(name, namespace));
  const { items } = await api.call("listApplications", {
    selector,
    project: projects,
    fields: "items.metadata.name,items.metadata.namespace",
  });
  const found = items.map(({ metadata }) => readAppName(`${metadata.namespace}/${metadata.name}`, undefined));
  return [...names.map((name) => readAppName(name, namespace)), ...found];
}
