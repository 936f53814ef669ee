import type { ApplicationSource } from "@capstan/model";
import { UsageError } from "../../command.ts";
import { compact } from "../../compact.ts";
import { readPluginParameters } from "../../plugin-parameters.ts";
import { listPairs, readPairs } from "../../read-pairs.ts";
import type { AppFlagValues } from "./apply-app-flags.ts";

type Helm = ApplicationSource["helm"];
type Kustomize = ApplicationSource["kustomize"];
type Directory = ApplicationSource["directory"];
type Plugin = ApplicationSource["plugin"];

/** Undefined when neither the source nor a flag says anything of the tool: an empty section would choose it. */
function section<T extends object>(old: T | undefined, changes: T): T | undefined {
  return Object.keys(changes).length === 0 ? old : { ...old, ...changes };
}

/** Replaces entries of the same name and adds the others. */
function merged<T extends { name?: string }>(
  old: readonly T[] | undefined,
  changes: readonly T[],
): T[] | undefined {
  if (changes.length === 0) return undefined;
  const names = new Set(changes.map(({ name }) => name));
  return [...(old ?? []).filter(({ name }) => !names.has(name)), ...changes];
}

export function helmSource(old: Helm, flags: AppFlagValues, values: string | undefined): Helm {
  const parameters = [
    ...listPairs("parameter", flags.parameter),
    ...listPairs("helm-set", flags["helm-set"]),
    ...listPairs("helm-set-string", flags["helm-set-string"]).map((one) => ({ ...one, forceString: true })),
  ];
  const files = listPairs("helm-set-file", flags["helm-set-file"]).map(({ name, value: path }) => ({
    name,
    path,
  }));
  return section<NonNullable<Helm>>(
    old,
    compact({
      valueFiles: flags.values && [...flags.values],
      values,
      ignoreMissingValueFiles: flags["ignore-missing-value-files"],
      releaseName: flags["release-name"],
      parameters: merged(old?.parameters, parameters),
      fileParameters: merged(old?.fileParameters, files),
      skipCrds: flags["helm-skip-crds"],
      skipTests: flags["helm-skip-tests"],
      skipSchemaValidation: flags["helm-skip-schema-validation"],
      passCredentials: flags["helm-pass-credentials"],
      namespace: flags["helm-namespace"],
      kubeVersion: flags["helm-kube-version"],
      apiVersions: flags["helm-api-versions"] && [...flags["helm-api-versions"]],
      version: helmVersion(flags["helm-version"]),
    }),
  );
}

function helmVersion(text: string | undefined): "v3" | "v4" | undefined {
  if (text === undefined || text === "v3" || text === "v4") return text;
  throw new UsageError(`--helm-version: "${text}" is neither v3 nor v4`);
}

export function kustomizeSource(old: Kustomize, flags: AppFlagValues): Kustomize {
  const images = flags["kustomize-image"];
  const replicas = listPairs("kustomize-replica", flags["kustomize-replica"]).map(({ name, value }) => ({
    name,
    count: Number(value),
  }));
  const labels = flags["kustomize-common-label"] ?? [];
  const annotations = flags["kustomize-common-annotation"] ?? [];
  return section<NonNullable<Kustomize>>(
    old,
    compact({
      namePrefix: flags.nameprefix,
      nameSuffix: flags.namesuffix,
      images: images && mergedImages(old?.images, images),
      replicas: merged(old?.replicas, replicas),
      namespace: flags["kustomize-namespace"],
      version: flags["kustomize-version"],
      commonLabels:
        labels.length > 0
          ? { ...old?.commonLabels, ...readPairs("kustomize-common-label", labels) }
          : undefined,
      commonAnnotations:
        annotations.length > 0
          ? { ...old?.commonAnnotations, ...readPairs("kustomize-common-annotation", annotations) }
          : undefined,
      labelWithoutSelector: flags["kustomize-label-without-selector"],
      labelIncludeTemplates: flags["kustomize-label-include-templates"],
      kubeVersion: flags["kustomize-kube-version"],
      apiVersions: flags["kustomize-api-versions"] && [...flags["kustomize-api-versions"]],
      ignoreMissingComponents: flags["ignore-missing-components"],
      forceCommonLabels: flags["kustomize-force-common-label"],
      forceCommonAnnotations: flags["kustomize-force-common-annotation"],
    }),
  );
}

/** Another override of the same image is replaced (v1alpha1 KustomizeImages.Find). */
function mergedImages(old: readonly string[] | undefined, images: readonly string[]): string[] {
  const names = new Set(images.map(imageName));
  return [...(old ?? []).filter((image) => !names.has(imageName(image))), ...images];
}

export function imageName(image: string): string {
  const equals = image.indexOf("=");
  if (equals >= 0) return image.slice(0, equals);
  return image.replace(/@.*$/, "").replace(/:[^/:]*$/, "");
}

export function directorySource(old: Directory, flags: AppFlagValues): Directory {
  const extVars = [
    ...listPairs("jsonnet-ext-var-str", flags["jsonnet-ext-var-str"]),
    ...listPairs("jsonnet-ext-var-code", flags["jsonnet-ext-var-code"]).map((one) => ({
      ...one,
      code: true,
    })),
  ];
  const tlas = [
    ...listPairs("jsonnet-tla-str", flags["jsonnet-tla-str"]),
    ...listPairs("jsonnet-tla-code", flags["jsonnet-tla-code"]).map((one) => ({ ...one, code: true })),
  ];
  const libs = flags["jsonnet-libs"];
  const jsonnet = compact({
    extVars: merged(old?.jsonnet?.extVars, extVars),
    tlas: merged(old?.jsonnet?.tlas, tlas),
    libs: libs && [...(old?.jsonnet?.libs ?? []), ...libs],
  });
  return section<NonNullable<Directory>>(
    old,
    compact({
      recurse: flags["directory-recurse"],
      include: flags["directory-include"],
      exclude: flags["directory-exclude"],
      jsonnet: Object.keys(jsonnet).length > 0 ? { ...old?.jsonnet, ...jsonnet } : undefined,
    }),
  );
}

export function pluginSource(old: Plugin, flags: AppFlagValues): Plugin {
  const env = listPairs("plugin-env", flags["plugin-env"]);
  const set = new Map((old?.parameters ?? []).map((one) => [one.name, one.map]));
  // A map keeps the entries that no flag names; a list is given whole.
  const parameters = readPluginParameters(flags["plugin-parameter"] ?? []).map((one) =>
    one.map ? { ...one, map: { ...set.get(one.name), ...one.map } } : one,
  );
  return section<NonNullable<Plugin>>(
    old,
    compact({
      name: flags["config-management-plugin"],
      env: merged(old?.env, env),
      parameters: merged(old?.parameters, parameters),
    }),
  );
}
