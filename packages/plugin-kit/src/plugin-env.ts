import type { ApplicationSource, ParameterAnnouncement, PluginParameter } from "@capstan/model";
import { expandEnv } from "./expand-env.ts";
import { readParametersVariable } from "./parameters-variable.ts";
import type { RenderContext } from "./plugin.ts";

export interface EnvVariable {
  readonly name: string;
  readonly value: string;
}

/** What changes with every commit, so that a plugin that names its inputs is not rendered anew for it. */
const revisionVariables: ReadonlySet<string> = new Set([
  "ARGOCD_APP_REVISION",
  "ARGOCD_APP_REVISION_SHORT",
  "ARGOCD_APP_REVISION_SHORT_8",
]);

/** The whole environment of a plugin's commands, in Argo CD's order (reposerver/repository getPluginEnvs). */
export function pluginEnv({ env, kubeVersion, apiVersions, source }: RenderContext): EnvVariable[] {
  const base = {
    ...env,
    KUBE_VERSION: plainVersion(kubeVersion),
    KUBE_API_VERSIONS: apiVersions.join(","),
  };
  return [...variablesOf(base), ...ownVariables(source, base)];
}

/** The variables of an announcement: only what says where the source is (reposerver populatePluginAppDetails). */
export function announcementEnv({ env, source }: RenderContext): EnvVariable[] {
  const told = [
    "APP_NAME",
    "APP_REVISION",
    "APP_SOURCE_REPO_URL",
    "APP_SOURCE_PATH",
    "APP_SOURCE_TARGET_REVISION",
  ];
  const base: Record<string, string> = {};
  for (const name of told.map((end) => `ARGOCD_${end}`)) base[name] = env[name] ?? "";
  return [...variablesOf(base), ...ownVariables(source, base)];
}

/** The variables of a look for a match without a plugin named: no Kubernetes, nothing of the plugin's own. */
export function discoveryEnv(env: Readonly<Record<string, string>>): EnvVariable[] {
  return variablesOf(env);
}

export function withoutRevision(variables: readonly EnvVariable[]): EnvVariable[] {
  return variables.filter(({ name }) => !revisionVariables.has(name));
}

function variablesOf(env: Readonly<Record<string, string>>): EnvVariable[] {
  return Object.entries(env).map(([name, value]) => ({ name, value }));
}

function ownVariables({ plugin }: ApplicationSource, base: Readonly<Record<string, string>>): EnvVariable[] {
  if (!plugin) return [];
  const own = (plugin.env ?? []).map(({ name, value }) => ({
    name: `ARGOCD_ENV_${name}`,
    value: expandEnv(value, base),
  }));
  const parameters = plugin.parameters ?? [];
  return [
    ...own,
    { name: "ARGOCD_APP_PARAMETERS", value: parametersJson(parameters) },
    ...parameters.flatMap(parameterVariables),
  ];
}

/**
 * The variables of a run with the defaults of announced parameters that the application does not set
 * (`spec.parameters.passDefaults` of plugin.yaml, which Argo CD does not know).
 */
export function withParameterDefaults(
  env: Readonly<Record<string, string>>,
  announced: readonly ParameterAnnouncement[],
): Readonly<Record<string, string>> {
  const given = readParametersVariable(env.ARGOCD_APP_PARAMETERS);
  const names = new Set(given.map(({ name }) => name));
  const added = announced.flatMap(({ name = "", string, array, map }): PluginParameter[] => {
    if (names.has(name) || (string === undefined && array === undefined && map === undefined)) return [];
    const values = {
      ...(string === undefined ? {} : { string }),
      ...(array ? { array } : {}),
      ...(map ? { map } : {}),
    };
    return [{ name, ...values }];
  });
  if (added.length === 0) return env;
  const variables = added.flatMap(parameterVariables).map(({ name, value }) => [name, value] as const);
  const all = parametersJson([...given, ...added]);
  return { ...env, ...Object.fromEntries(variables), ARGOCD_APP_PARAMETERS: all };
}

function parameterVariables({ name = "", string, map, array }: PluginParameter): EnvVariable[] {
  const base = `PARAM_${escaped(name)}`;
  return [
    ...(string === undefined ? [] : [{ name: base, value: string }]),
    ...sortedEntries(map ?? {}).map(([key, value]) => ({ name: `${base}_${escaped(key)}`, value })),
    ...(array ?? []).map((value, index) => ({ name: `${base}_${index}`, value })),
  ];
}

/** The text that Go's encoding/json gives: fields and keys sorted, null for no parameters, HTML's signs escaped. */
function parametersJson(parameters: readonly PluginParameter[]): string {
  if (parameters.length === 0) return "null";
  const all = parameters.map(({ name = "", string, map, array }) => ({
    ...(array === undefined ? {} : { array }),
    ...(map === undefined ? {} : { map: Object.fromEntries(sortedEntries(map)) }),
    name,
    ...(string === undefined ? {} : { string }),
  }));
  return JSON.stringify(all).replace(/[<>&\u2028\u2029]/g, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function sortedEntries(map: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(map).sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Argo CD: pkg/apis/application/v1alpha1 escaped. */
function escaped(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9_]/gu, "_");
}

/** Without what vendors add: v1.34.1-eks-1 is 1.34.1, and 1.34+ is 1.34 (reposerver parseKubeVersion). */
function plainVersion(version: string): string {
  return /^v?(\d+\.\d+(?:\.\d+)?)/.exec(version)?.[1] ?? version;
}
