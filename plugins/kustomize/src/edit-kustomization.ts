import { isRecord } from "@capstan/formats";
import { CapstanError, type KustomizeSource } from "@capstan/model";
import { expandEnv } from "@capstan/plugin-kit";
import { setImages } from "./set-images.ts";

type Kustomization = Record<string, unknown>;

/**
 * The kustomization with a source's options, as `kustomize edit` would leave it
 * (Argo CD: util/kustomize Build).
 */
export function editKustomization(
  content: Kustomization,
  options: KustomizeSource,
  { env, components }: { env: Readonly<Record<string, string>>; components: readonly string[] },
): Kustomization {
  const edited = { ...content };
  for (const field of ["namePrefix", "nameSuffix", "namespace"] as const)
    if (options[field]) edited[field] = options[field];
  const images = options.images ?? [];
  if (images.length > 0)
    edited.images = setImages(
      edited.images,
      images.map((image) => expandEnv(image, env)),
    );
  const replicas = options.replicas ?? [];
  if (replicas.length > 0) edited.replicas = setReplicas(edited.replicas, replicas);
  addLabels(edited, options, env);
  addAnnotations(edited, options, env);
  if (options.patches?.length) edited.patches = [...listOf(edited.patches), ...options.patches];
  if (components.length > 0) edited.components = [...new Set([...listOf(edited.components), ...components])];
  return edited;
}

export function isEdited(options: KustomizeSource): boolean {
  const {
    namePrefix,
    nameSuffix,
    namespace,
    images,
    replicas,
    commonLabels,
    commonAnnotations,
    patches,
    components,
  } = options;
  const hasText = [namePrefix, nameSuffix, namespace].some((text) => text !== undefined && text !== "");
  const hasItems = [images, replicas, patches, components].some(
    (items) => items !== undefined && items.length > 0,
  );
  return (
    hasText || hasItems || [commonLabels, commonAnnotations].some((map) => Object.keys(map ?? {}).length > 0)
  );
}

function setReplicas(existing: unknown, wanted: NonNullable<KustomizeSource["replicas"]>): unknown[] {
  const set = wanted.map(({ name, count }) => ({ name, count: readCount(name, count) }));
  const names = new Set(set.map(({ name }) => name));
  return [...listOf(existing).filter((one) => !isRecord(one) || !names.has(String(one.name))), ...set];
}

function readCount(name: string, count: number | string): number {
  const number = Number(count);
  if (Number.isInteger(number) && number >= 0 && String(count).trim() !== "") return number;
  const problem = `count of ${name} is "${count}": it must be a whole number`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.kustomize.replicas", problem });
}

function addLabels(
  edited: Kustomization,
  options: KustomizeSource,
  env: Readonly<Record<string, string>>,
): void {
  const labels = Object.entries(options.commonLabels ?? {}).map(
    ([name, value]) => [name, expandEnv(value, env)] as const,
  );
  if (labels.length === 0) return;
  const {
    forceCommonLabels: force = false,
    labelWithoutSelector,
    labelIncludeTemplates: includeTemplates = false,
  } = options;
  const adding = { field: "source.kustomize.commonLabels", force };
  if (!labelWithoutSelector) {
    edited.commonLabels = addPairs(edited.commonLabels, labels, adding);
    return;
  }
  const groups = listOf(edited.labels);
  const at = groups.findIndex(
    (group) =>
      isRecord(group) && !group.includeSelectors && (group.includeTemplates ?? false) === includeTemplates,
  );
  const group = groups[at];
  const pairs = addPairs(isRecord(group) ? group.pairs : undefined, labels, adding);
  edited.labels = isRecord(group)
    ? groups.with(at, { ...group, pairs })
    : [...groups, { pairs, includeTemplates }];
}

function addAnnotations(
  edited: Kustomization,
  options: KustomizeSource,
  env: Readonly<Record<string, string>>,
): void {
  const annotations = Object.entries(options.commonAnnotations ?? {});
  if (annotations.length === 0) return;
  const { commonAnnotationsEnvsubst: expands, forceCommonAnnotations: force = false } = options;
  const expanded = annotations.map(
    ([name, value]) => [name, expands ? expandEnv(value, env) : value] as const,
  );
  const adding = { field: "source.kustomize.commonAnnotations", force };
  edited.commonAnnotations = addPairs(edited.commonAnnotations, expanded, adding);
}

function addPairs(
  existing: unknown,
  pairs: readonly (readonly [string, string])[],
  { field, force }: { field: string; force: boolean },
): Record<string, unknown> {
  const merged: Record<string, unknown> = isRecord(existing) ? { ...existing } : {};
  for (const [name, value] of pairs) {
    if (!force && name in merged) {
      const problem = `${name} is set in the kustomization file already. Remove one of the two or set ${field.replace(".common", ".forceCommon")}`;
      throw new CapstanError({ code: "INVALID_ARGUMENT", field, problem });
    }
    merged[name] = value;
  }
  return merged;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
