import { parseJson } from "@capstan/formats";
import {
  type Application,
  argoApiVersion,
  groupOf,
  isManifest,
  type Manifest,
  versionOf,
} from "@capstan/model";
import type { Api } from "../../api.ts";
import { ExitError, type FlagValues, UsageError } from "../../command.ts";
import { type AppRef, fetchApp, onApp } from "./app-name.ts";

/** Which resources of an application are meant. */
export const resourceFlags = {
  kind: { kind: "string", help: "Kind of the resource", value: "KIND" },
  group: { kind: "string", help: "API group of the resource", value: "GROUP" },
  namespace: { kind: "string", help: "Namespace of the resource", value: "NAMESPACE" },
  "resource-name": { kind: "string", help: "Name of the resource", value: "NAME" },
} as const;

export const projectFlag = {
  project: { kind: "string", help: "Project of the application", value: "PROJECT" },
} as const;

type Wanted = FlagValues<typeof resourceFlags>;

/** An object as it is in the cluster, by what calls about it need. */
export interface LiveResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace: string;
  readonly resourceName: string;
}

export function requireKind({ kind }: Wanted): void {
  if (!kind) throw new UsageError("--kind is missing");
}

interface Choice {
  wanted: Wanted;
  all: boolean;
  withApp?: boolean;
  /** Those of its namespace that no application has, in their place. */
  orphaned?: boolean;
}

/** What an application manages and has in the cluster, of which flags may leave out some (cmd/util/app.go FilterResources). */
export async function selectLiveResources(
  api: Api,
  ref: AppRef,
  { wanted, all, withApp = false, orphaned = false }: Choice,
): Promise<LiveResource[]> {
  const live = orphaned ? await listOrphans(api, ref) : await listManaged(api, ref);
  const found = [...live, ...(withApp ? [ownName(await fetchApp(api, ref))] : [])].filter(
    (one) =>
      (wanted.group === undefined || wanted.group === one.group) &&
      (!wanted.kind || wanted.kind === one.kind) &&
      (!wanted.namespace || wanted.namespace === one.namespace) &&
      (!wanted["resource-name"] || wanted["resource-name"] === one.resourceName),
  );
  if (found.length === 0) throw new ExitError("no matching resource found", 20);
  if (found.length > 1 && !all)
    throw new ExitError(
      `multiple resources match inputs, use the --all flag to take them all: ${found.map(describe).join(", ")}`,
      20,
    );
  return found;
}

async function listManaged(api: Api, ref: AppRef): Promise<LiveResource[]> {
  const { items } = await onApp(api, ref, () => api.call("listManagedResources", ref));
  const live = items.map(({ liveState }) => (liveState ? parseJson(liveState) : null));
  return live.filter(isManifest).map(nameOf);
}

async function listOrphans(api: Api, ref: AppRef): Promise<LiveResource[]> {
  const { orphanedNodes = [] } = await onApp(api, ref, () => api.call("getResourceTree", ref));
  return orphanedNodes.map(({ group = "", version = "", kind, namespace = "", name }) => ({
    ...{ group, version, kind, namespace },
    resourceName: name,
  }));
}

function nameOf({ apiVersion, kind, metadata }: Manifest): LiveResource {
  return {
    group: groupOf(apiVersion),
    version: versionOf(apiVersion),
    kind,
    namespace: metadata.namespace ?? "",
    resourceName: metadata.name ?? "",
  };
}

/** The Application itself has actions too. */
function ownName({ metadata }: Application): LiveResource {
  return nameOf({ apiVersion: argoApiVersion, kind: "Application", metadata });
}

function describe({ group, kind, namespace, resourceName }: LiveResource): string {
  return `${group ? `${group}/` : ""}${kind} ${namespace ? `${namespace}/` : ""}${resourceName}`;
}
