import { isRecord } from "@capstan/formats";
import type { ApplicationSource, KustomizePatch } from "@capstan/model";
import { toYaml } from "../../parts/code/to-yaml.ts";
import type { Pair } from "../../parts/forms/row-editors.tsx";

/** One entry of `plugin.parameters`, with a map as rows so that a form may hold one without a key for a while. */
export interface DraftParameter {
  readonly name: string;
  readonly string?: string;
  readonly array?: readonly string[];
  readonly map?: readonly Pair[];
}

export interface HelmParameter extends Pair {
  readonly forceString: boolean;
}

/** A variable of Jsonnet: a text, or an expression of the language. */
export interface JsonnetVariable extends Pair {
  readonly code: boolean;
}

/** What the page's forms change of a source; the rest of it is not touched. */
export interface Draft {
  readonly parameters: readonly DraftParameter[];
  readonly env: readonly Pair[];
  readonly releaseName: string;
  readonly valueFiles: readonly string[];
  /** YAML. */
  readonly values: string;
  readonly helmParameters: readonly HelmParameter[];
  readonly namePrefix: string;
  readonly nameSuffix: string;
  readonly namespace: string;
  readonly version: string;
  readonly images: readonly string[];
  readonly replicas: readonly Pair[];
  readonly components: readonly string[];
  readonly ignoreMissingComponents: boolean;
  readonly patches: readonly KustomizePatch[];
  readonly commonLabels: readonly Pair[];
  readonly forceCommonLabels: boolean;
  readonly labelWithoutSelector: boolean;
  readonly labelIncludeTemplates: boolean;
  readonly commonAnnotations: readonly Pair[];
  readonly forceCommonAnnotations: boolean;
  readonly commonAnnotationsEnvsubst: boolean;
  readonly recurse: boolean;
  readonly include: string;
  readonly exclude: string;
  readonly tlas: readonly JsonnetVariable[];
  readonly extVars: readonly JsonnetVariable[];
  readonly libs: readonly string[];
}

export type Part = keyof Draft;

export function readDraft({ plugin, helm, kustomize, directory }: ApplicationSource): Draft {
  return {
    parameters: (plugin?.parameters ?? []).map(({ name = "", map, ...rest }) => ({
      ...rest,
      name,
      ...(map ? { map: Object.entries(map).map(([key, value]) => ({ name: key, value })) } : {}),
    })),
    env: pairsOf(plugin?.env),
    ...readHelm(helm),
    ...readKustomize(kustomize),
    recurse: directory?.recurse ?? false,
    include: directory?.include ?? "",
    exclude: directory?.exclude ?? "",
    tlas: variablesOf(directory?.jsonnet?.tlas),
    extVars: variablesOf(directory?.jsonnet?.extVars),
    libs: directory?.jsonnet?.libs ?? [],
  };
}

function readHelm(helm: ApplicationSource["helm"]) {
  return {
    releaseName: helm?.releaseName ?? "",
    valueFiles: helm?.valueFiles ?? [],
    values: isRecord(helm?.valuesObject) ? toYaml(helm.valuesObject) : (helm?.values ?? ""),
    helmParameters: (helm?.parameters ?? []).map(({ name = "", value = "", forceString = false }) => ({
      name,
      value,
      forceString,
    })),
  };
}

function readKustomize(kustomize: ApplicationSource["kustomize"] = {}) {
  return {
    namePrefix: kustomize.namePrefix ?? "",
    nameSuffix: kustomize.nameSuffix ?? "",
    namespace: kustomize.namespace ?? "",
    version: kustomize.version ?? "",
    images: kustomize.images ?? [],
    replicas: (kustomize.replicas ?? []).map(({ name, count }) => ({ name, value: String(count) })),
    components: kustomize.components ?? [],
    ignoreMissingComponents: kustomize.ignoreMissingComponents ?? false,
    patches: kustomize.patches ?? [],
    commonLabels: entriesOf(kustomize.commonLabels),
    forceCommonLabels: kustomize.forceCommonLabels ?? false,
    labelWithoutSelector: kustomize.labelWithoutSelector ?? false,
    labelIncludeTemplates: kustomize.labelIncludeTemplates ?? false,
    commonAnnotations: entriesOf(kustomize.commonAnnotations),
    forceCommonAnnotations: kustomize.forceCommonAnnotations ?? false,
    commonAnnotationsEnvsubst: kustomize.commonAnnotationsEnvsubst ?? false,
  };
}

function entriesOf(map: Readonly<Record<string, string>> | undefined): Pair[] {
  return Object.entries(map ?? {}).map(([name, value]) => ({ name, value }));
}

function variablesOf(
  variables: readonly { name: string; value: string; code?: boolean }[] | undefined,
): JsonnetVariable[] {
  return (variables ?? []).map(({ name, value, code = false }) => ({ name, value, code }));
}

function pairsOf(pairs: readonly { name?: string; value?: string }[] | undefined): Pair[] {
  return (pairs ?? []).map(({ name = "", value = "" }) => ({ name, value }));
}

/** The parts in which two drafts differ. */
export function changedParts(left: Draft, right: Draft): Part[] {
  const parts = Object.keys(left) as Part[];
  return parts.filter((part) => JSON.stringify(left[part]) !== JSON.stringify(right[part]));
}
