import { type ApplicationSource, isRecord, parseYaml } from "@capstan/model";
import { toYaml } from "../../parts/code/to-yaml.ts";

export interface Pair {
  readonly name: string;
  readonly value: string;
}

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
  readonly images: readonly string[];
  readonly recurse: boolean;
  readonly include: string;
  readonly exclude: string;
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
    releaseName: helm?.releaseName ?? "",
    valueFiles: helm?.valueFiles ?? [],
    values: isRecord(helm?.valuesObject) ? toYaml(helm.valuesObject) : (helm?.values ?? ""),
    helmParameters: (helm?.parameters ?? []).map(({ name = "", value = "", forceString = false }) => ({
      name,
      value,
      forceString,
    })),
    namePrefix: kustomize?.namePrefix ?? "",
    nameSuffix: kustomize?.nameSuffix ?? "",
    namespace: kustomize?.namespace ?? "",
    images: kustomize?.images ?? [],
    recurse: directory?.recurse ?? false,
    include: directory?.include ?? "",
    exclude: directory?.exclude ?? "",
  };
}

function pairsOf(pairs: readonly { name?: string; value?: string }[] | undefined): Pair[] {
  return (pairs ?? []).map(({ name = "", value = "" }) => ({ name, value }));
}

/** The parts in which two drafts differ. */
export function changedParts(left: Draft, right: Draft): Part[] {
  const parts = Object.keys(left) as Part[];
  return parts.filter((part) => JSON.stringify(left[part]) !== JSON.stringify(right[part]));
}

/** The source with what the draft changed; what it did not change stays, to the letter. */
export function writeDraft(source: ApplicationSource, draft: Draft): ApplicationSource {
  const changed = new Set(changedParts(readDraft(source), draft));
  const next: ApplicationSource = { ...source };
  const put = (tool: "plugin" | "helm" | "kustomize" | "directory", fields: Record<string, unknown>) => {
    if (Object.keys(fields).length === 0) return;
    const section = Object.entries({ ...next[tool], ...fields }).filter(([, value]) => !isEmpty(value));
    if (section.length === 0 && source[tool] === undefined) delete next[tool];
    else next[tool] = Object.fromEntries(section);
  };
  const pick = (fields: Partial<Record<Part, [field: string, value: unknown]>>) =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([part, field]) => (changed.has(part as Part) && field ? [field] : [])),
    );
  const parameters = draft.parameters.map(({ map, ...rest }) => ({
    ...rest,
    ...(map ? { map: Object.fromEntries(map.map(({ name, value }) => [name, value])) } : {}),
  }));
  put("plugin", pick({ parameters: ["parameters", parameters], env: ["env", draft.env] }));
  put("helm", {
    ...pick({
      releaseName: ["releaseName", draft.releaseName],
      valueFiles: ["valueFiles", draft.valueFiles],
      helmParameters: ["parameters", draft.helmParameters.map(writeHelmParameter)],
    }),
    ...(changed.has("values") ? writeValues(source, draft.values) : {}),
  });
  const { namePrefix, nameSuffix, namespace, images, recurse, include, exclude } = draft;
  put(
    "kustomize",
    pick({
      namePrefix: ["namePrefix", namePrefix],
      nameSuffix: ["nameSuffix", nameSuffix],
      namespace: ["namespace", namespace],
      images: ["images", images],
    }),
  );
  put(
    "directory",
    pick({ recurse: ["recurse", recurse], include: ["include", include], exclude: ["exclude", exclude] }),
  );
  return next;
}

function writeHelmParameter({ name, value, forceString }: HelmParameter) {
  return forceString ? { name, value, forceString } : { name, value };
}

/** In the field in which they were: as an object or as a text. */
function writeValues({ helm }: ApplicationSource, text: string): Record<string, unknown> {
  return helm?.valuesObject === undefined
    ? { values: text }
    : { valuesObject: text.trim() === "" ? undefined : parseYaml(text) };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "" || value === false) return true;
  return Array.isArray(value) && value.length === 0;
}

/** Their state with my changes on top: a part that I did not touch is theirs, a parameter that I did not touch too. */
export function rebase(mine: Draft, base: Draft, theirs: Draft): Draft {
  const touched = changedParts(base, mine);
  const kept = Object.fromEntries(touched.map((part) => [part, mine[part]]));
  return {
    ...theirs,
    ...kept,
    ...(touched.includes("parameters")
      ? { parameters: rebaseNamed(mine.parameters, base.parameters, theirs.parameters) }
      : {}),
    ...(touched.includes("helmParameters")
      ? { helmParameters: rebaseNamed(mine.helmParameters, base.helmParameters, theirs.helmParameters) }
      : {}),
    ...(touched.includes("env") ? { env: rebaseNamed(mine.env, base.env, theirs.env) } : {}),
  };
}

function rebaseNamed<T extends { name: string }>(
  mine: readonly T[],
  base: readonly T[],
  theirs: readonly T[],
): T[] {
  const same = (left: T | undefined, right: T | undefined) => JSON.stringify(left) === JSON.stringify(right);
  const find = (all: readonly T[], name: string) => all.find((one) => one.name === name);
  const names = new Set([...mine, ...base, ...theirs].map(({ name }) => name));
  return [...names].flatMap((name) => {
    const own = find(mine, name);
    const chosen = same(own, find(base, name)) ? find(theirs, name) : own;
    return chosen ? [chosen] : [];
  });
}
