import { parseJson } from "@capstan/formats";
import { isManifest, type Manifest, type SyncOperationResource } from "@capstan/model";
import type { Api } from "../../api.ts";
import { ExitError, UsageError } from "../../command.ts";
import { type AppRef, fetchApp, onApp } from "./app-name.ts";

interface Pattern {
  isExcluded: boolean;
  group: string;
  kind: string;
  namespace: string;
  name: string;
}

/** `GROUP:KIND:[NAMESPACE/]NAME`, `*` for any part, `!` in front for all but these (cmd/util parseSelectedResources). */
export function parsePattern(text: string): Pattern {
  const isExcluded = text.startsWith("!");
  const parts = (isExcluded ? text.slice(1) : text).split(":");
  const [group, kind, place] = parts;
  if (parts.length !== 3 || !kind || !place)
    throw new UsageError(`--resource: "${text}" is not GROUP:KIND:[NAMESPACE/]NAME`);
  const slash = place.lastIndexOf("/");
  const namespace = slash < 0 ? "" : place.slice(0, slash);
  return { isExcluded, group: group ?? "", kind, namespace, name: place.slice(slash + 1) };
}

/** The resources that patterns or labels choose; undefined when all are meant. */
export async function readSelection(
  api: Api,
  ref: AppRef,
  { patterns, labels }: { patterns: readonly string[]; labels: readonly string[] },
): Promise<SyncOperationResource[] | undefined> {
  if (labels.length > 0) return byLabels(api, ref, labels);
  if (patterns.length === 0) return undefined;
  const parsed = patterns.map(parsePattern);
  const isPlain = parsed.every(
    (one) => !one.isExcluded && ![one.group, one.kind, one.namespace, one.name].includes("*"),
  );
  if (isPlain) return parsed.map(({ isExcluded: _, ...resource }) => resource);
  const app = await fetchApp(api, ref);
  const found = (app.status?.resources ?? [])
    .map(({ group = "", kind = "", namespace = "", name = "" }) => ({ group, kind, namespace, name }))
    .filter((resource) => isSelected(resource, parsed));
  if (found.length === 0)
    throw new ExitError(`no resource of "${ref.name}" matches ${patterns.join(" ")}`, 20);
  return found;
}

function isSelected(resource: Required<SyncOperationResource>, patterns: readonly Pattern[]): boolean {
  const wanted = patterns.filter(({ isExcluded }) => !isExcluded);
  if (patterns.some((one) => one.isExcluded && matches(one, resource))) return false;
  return wanted.length === 0 || wanted.some((one) => matches(one, resource));
}

function matches(pattern: Pattern, resource: Required<SyncOperationResource>): boolean {
  const fits = (wanted: string, given: string): boolean => wanted === "*" || wanted === given;
  return (
    fits(pattern.group, resource.group) &&
    fits(pattern.kind, resource.kind) &&
    (pattern.namespace === "" || fits(pattern.namespace, resource.namespace)) &&
    fits(pattern.name, resource.name)
  );
}

async function byLabels(api: Api, ref: AppRef, labels: readonly string[]): Promise<SyncOperationResource[]> {
  const wanted = labels.map((text) => {
    const equals = text.indexOf("=");
    if (equals <= 0) throw new UsageError(`--label: "${text}" is not KEY=VALUE`);
    return [text.slice(0, equals), text.slice(equals + 1)] as const;
  });
  const { manifests } = await onApp(api, ref, () => api.call("getManifests", ref));
  const found = manifests
    .map((text) => parseJson(text))
    .filter(isManifest)
    .filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value))
    .map(resourceOf);
  if (found.length === 0)
    throw new ExitError(`no resource of "${ref.name}" has the labels ${labels.join(", ")}`, 20);
  return found;
}

function resourceOf({ apiVersion, kind, metadata }: Manifest): SyncOperationResource {
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  const { name = "", namespace } = metadata;
  return { group, kind, name, ...(namespace ? { namespace } : {}) };
}
