import { basename, resolve } from "node:path";
import { isRecord, parseJson } from "@capstan/formats";
import { type ApplicationSource, sourcesOf } from "@capstan/model";
import { type FlagValues, UsageError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { readPluginParameters } from "../../plugin-parameters.ts";
import { listPairs } from "../../read-pairs.ts";
import { readAppFile } from "./read-app-file.ts";

export const localFlags = {
  source: { kind: "string", help: "Folder that stands for the repository", value: "DIR", byDefault: "." },
  path: { kind: "string", help: "The application's directory in it", value: "PATH" },
  app: { kind: "string", help: "Application whose source, name and project hold", value: "FILE" },
  "source-position": { kind: "integer", help: "Which of its sources, from 1", value: "N" },
  "plugin-env": { kind: "strings", help: "Variable of the application, name=value", value: "VARIABLE" },
  "plugin-parameter": {
    kind: "strings",
    help: "Parameter: name=value, list[]=value, map[key]=value; stage/name of one stage",
    value: "PARAMETER",
  },
  "kube-version": { kind: "string", help: "Kubernetes version (default KUBE_VERSION)", value: "VERSION" },
} as const;

/** Where nobody says another. */
export const usualKubeVersion = "1.34.0";

export type LocalFlagValues = FlagValues<typeof localFlags>;

/** What an application asks to be rendered, with the folder in the place of its repository. */
export interface LocalApp {
  readonly folder: string;
  readonly appName: string;
  readonly namespace: string;
  readonly project: string;
  readonly source: ApplicationSource;
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
}

interface LocalAppFacts {
  /** It renders unless the application names another tool; without one the application's directory decides. */
  readonly plugin: string | undefined;
  readonly io: Pick<Io, "env" | "err">;
  /** Of an application that nobody gives a name; default the folder's. */
  readonly name?: string;
}

/**
 * Flags first, then the application's file, then the protocol's own variables of the caller (Argo CD: reposerver/repository getPluginEnvs).
 */
export async function readLocalApp(
  flags: LocalFlagValues,
  { plugin, io, name }: LocalAppFacts,
): Promise<LocalApp> {
  const { env } = io;
  const folder = resolve(flags.source ?? ".");
  const usual = { name: name ?? basename(folder), repoURL: `file://${folder}` };
  const app = flags.app === undefined ? undefined : await readAppFile(flags.app, { usual, warn: io.err });
  const position = flags["source-position"] ?? 1;
  const own = app && sourcesOf(app)[position - 1];
  if (app && !own) throw new UsageError(`${flags.app} has no source ${position}`);
  const base: ApplicationSource = own ?? { repoURL: usual.repoURL };
  const hasTool = [base.helm, base.kustomize, base.directory, base.plugin?.name].some(Boolean);
  const source: ApplicationSource = {
    ...base,
    path: flags.path ?? base.path ?? env.ARGOCD_APP_SOURCE_PATH ?? ".",
    ...(plugin === undefined || hasTool ? {} : section(plugin, base)),
  };
  return {
    folder,
    source: withPluginValues(source, flags, env),
    appName: env.ARGOCD_APP_NAME ?? app?.metadata.name ?? usual.name,
    namespace: env.ARGOCD_APP_NAMESPACE ?? app?.spec.destination.namespace ?? "default",
    project: env.ARGOCD_APP_PROJECT_NAME ?? app?.spec.project ?? "default",
    kubeVersion: flags["kube-version"] ?? env.KUBE_VERSION ?? usualKubeVersion,
    apiVersions: (env.KUBE_API_VERSIONS ?? "").split(",").filter((one) => one !== ""),
  };
}

function section(plugin: string, base: ApplicationSource): Partial<ApplicationSource> {
  if (plugin === "helm") return { helm: {} };
  if (plugin === "kustomize") return { kustomize: {} };
  return plugin === "directory" ? { directory: {} } : { plugin: { ...base.plugin, name: plugin } };
}

function withPluginValues(
  source: ApplicationSource,
  flags: LocalFlagValues,
  env: Io["env"],
): ApplicationSource {
  const inherited = Object.entries(env).flatMap(([name, value = ""]) =>
    name.startsWith("ARGOCD_ENV_") ? [{ name: name.slice("ARGOCD_ENV_".length), value }] : [],
  );
  const variables = [...inherited, ...listPairs("plugin-env", flags["plugin-env"])];
  const parameters = [
    ...parametersOf(env.ARGOCD_APP_PARAMETERS),
    ...readPluginParameters(flags["plugin-parameter"] ?? []),
  ];
  if (variables.length === 0 && parameters.length === 0) return source;
  const { plugin = {} } = source;
  return {
    ...source,
    plugin: {
      ...plugin,
      env: merged(plugin.env ?? [], variables),
      parameters: merged(plugin.parameters ?? [], parameters),
    },
  };
}

function merged<T extends { name?: string }>(old: readonly T[], changes: readonly T[]): T[] {
  const names = new Set(changes.map(({ name }) => name));
  return [...old.filter(({ name }) => !names.has(name)), ...changes];
}

/** What another run was given as ARGOCD_APP_PARAMETERS. */
function parametersOf(text: string | undefined) {
  const value = text ? parseJson(text) : null;
  if (value === null) return [];
  if (!Array.isArray(value)) throw new UsageError("ARGOCD_APP_PARAMETERS is not a list of parameters");
  return value.filter((one) => isRecord(one));
}
