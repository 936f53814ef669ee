import { type ApplicationSource, type KustomizePatch, parseYaml } from "@capstan/model";
import type { Pair } from "../../parts/forms/row-editors.tsx";
import {
  changedParts,
  type Draft,
  type HelmParameter,
  type JsonnetVariable,
  type Part,
  readDraft,
} from "./draft.ts";

type Fields = Record<string, unknown>;

interface Place {
  /** Where in a source the part stands; `jsonnet` is a section of `directory`. */
  readonly tool: "plugin" | "helm" | "kustomize" | "directory" | "jsonnet";
  fields(draft: Draft, source: ApplicationSource): Fields;
}

const places: Readonly<Record<Part, Place>> = {
  parameters: {
    tool: "plugin",
    fields: ({ parameters }) => ({ parameters: parameters.map(writeParameter) }),
  },
  env: { tool: "plugin", fields: ({ env }) => ({ env }) },
  releaseName: { tool: "helm", fields: ({ releaseName }) => ({ releaseName }) },
  valueFiles: { tool: "helm", fields: ({ valueFiles }) => ({ valueFiles }) },
  values: { tool: "helm", fields: ({ values }, source) => writeValues(source, values) },
  helmParameters: {
    tool: "helm",
    fields: ({ helmParameters }) => ({ parameters: helmParameters.map(writeHelmParameter) }),
  },
  namePrefix: { tool: "kustomize", fields: ({ namePrefix }) => ({ namePrefix }) },
  nameSuffix: { tool: "kustomize", fields: ({ nameSuffix }) => ({ nameSuffix }) },
  namespace: { tool: "kustomize", fields: ({ namespace }) => ({ namespace }) },
  version: { tool: "kustomize", fields: ({ version }) => ({ version }) },
  images: { tool: "kustomize", fields: ({ images }) => ({ images }) },
  replicas: { tool: "kustomize", fields: ({ replicas }) => ({ replicas: replicas.map(writeReplicas) }) },
  components: { tool: "kustomize", fields: ({ components }) => ({ components }) },
  ignoreMissingComponents: {
    tool: "kustomize",
    fields: ({ ignoreMissingComponents }) => ({ ignoreMissingComponents }),
  },
  patches: { tool: "kustomize", fields: ({ patches }) => ({ patches: patches.map(writePatch) }) },
  commonLabels: {
    tool: "kustomize",
    fields: ({ commonLabels }) => ({ commonLabels: mapOf(commonLabels) }),
  },
  forceCommonLabels: { tool: "kustomize", fields: ({ forceCommonLabels }) => ({ forceCommonLabels }) },
  labelWithoutSelector: {
    tool: "kustomize",
    fields: ({ labelWithoutSelector }) => ({ labelWithoutSelector }),
  },
  labelIncludeTemplates: {
    tool: "kustomize",
    fields: ({ labelIncludeTemplates }) => ({ labelIncludeTemplates }),
  },
  commonAnnotations: {
    tool: "kustomize",
    fields: ({ commonAnnotations }) => ({ commonAnnotations: mapOf(commonAnnotations) }),
  },
  forceCommonAnnotations: {
    tool: "kustomize",
    fields: ({ forceCommonAnnotations }) => ({ forceCommonAnnotations }),
  },
  commonAnnotationsEnvsubst: {
    tool: "kustomize",
    fields: ({ commonAnnotationsEnvsubst }) => ({ commonAnnotationsEnvsubst }),
  },
  recurse: { tool: "directory", fields: ({ recurse }) => ({ recurse }) },
  include: { tool: "directory", fields: ({ include }) => ({ include }) },
  exclude: { tool: "directory", fields: ({ exclude }) => ({ exclude }) },
  tlas: { tool: "jsonnet", fields: ({ tlas }) => ({ tlas: tlas.map(writeVariable) }) },
  extVars: { tool: "jsonnet", fields: ({ extVars }) => ({ extVars: extVars.map(writeVariable) }) },
  libs: { tool: "jsonnet", fields: ({ libs }) => ({ libs }) },
};

/** The source with what the draft changed; what it did not change stays, to the letter. */
export function writeDraft(source: ApplicationSource, draft: Draft): ApplicationSource {
  let next = source;
  for (const part of changedParts(readDraft(source), draft)) {
    const { tool, fields } = places[part];
    next = withFields(next, tool, fields(draft, source));
  }
  return next;
}

function withFields(source: ApplicationSource, tool: Place["tool"], fields: Fields): ApplicationSource {
  if (tool === "jsonnet") {
    const jsonnet = filled({ ...source.directory?.jsonnet, ...fields });
    return withFields(source, "directory", { jsonnet });
  }
  const section = filled({ ...source[tool], ...fields });
  const { [tool]: old, ...rest } = source;
  // An empty section that was there chooses the tool, and stays.
  return old === undefined && isEmpty(section) ? rest : { ...rest, [tool]: section };
}

function filled(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "" || value === false) return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function writeParameter({ map, ...rest }: Draft["parameters"][number]): Fields {
  return map ? { ...rest, map: mapOf(map) } : rest;
}

function mapOf(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

function writeHelmParameter({ name, value, forceString }: HelmParameter): Fields {
  return forceString ? { name, value, forceString } : { name, value };
}

function writeVariable({ name, value, code }: JsonnetVariable): Fields {
  return code ? { name, value, code } : { name, value };
}

function writeReplicas({ name, value }: Pair): Fields {
  return { name, count: Number(value) };
}

function writePatch({ path, patch, target, ...rest }: KustomizePatch): Fields {
  return { ...rest, ...filled({ path, patch, target: filled({ ...target }) }) };
}

/** In the field in which they were: as an object or as a text. */
function writeValues({ helm }: ApplicationSource, text: string): Fields {
  return helm?.valuesObject === undefined
    ? { values: text }
    : { valuesObject: text.trim() === "" ? undefined : parseYaml(text) };
}
