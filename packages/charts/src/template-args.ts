import { join } from "node:path";
import { expandEnv, type RenderContext } from "@capstan/plugin-kit";
import { readKubeVersion } from "./kube-version.ts";
import type { HelmFile } from "./value-files.ts";

export interface TemplateFiles {
  valueFiles: readonly HelmFile[];
  fileParameters: readonly { name: string; file: HelmFile }[];
}

/** Where trees and own values are on disk. */
export interface TemplatePlaces {
  root: string;
  refs: Readonly<Record<string, string>>;
  /** The file with `values` or `valuesObject`, if there are any. */
  ownValues: string | undefined;
}

/** Arguments of `helm template`, in the order of Argo CD's (util/helm cmd.go template). */
export function templateArgs(context: RenderContext, files: TemplateFiles, places: TemplatePlaces): string[] {
  const { source, env } = context;
  const helm = source.helm ?? {};
  const args = ["template", ".", "--name-template", releaseName(context)];
  const namespace = helm.namespace || context.namespace;
  if (namespace !== "") args.push("--namespace", namespace);
  const version = readKubeVersion(helm.kubeVersion || context.kubeVersion);
  if (version !== "") args.push("--kube-version", version);
  const parameters = helm.parameters ?? [];
  for (const forced of [false, true])
    for (const { name = "", value = "", forceString = false } of parameters)
      if (forceString === forced)
        args.push(forced ? "--set-string" : "--set", `${name}=${escapeCommas(expandEnv(value, env))}`);
  for (const { name, file } of files.fileParameters)
    args.push("--set-file", `${name}=${escapeCommas(locate(file, places))}`);
  for (const file of files.valueFiles) args.push("--values", locate(file, places));
  if (places.ownValues !== undefined) args.push("--values", places.ownValues);
  for (const api of helm.apiVersions?.length ? helm.apiVersions : context.apiVersions)
    args.push("--api-versions", api);
  if (!helm.skipCrds) args.push("--include-crds");
  if (helm.skipSchemaValidation) args.push("--skip-schema-validation");
  if (helm.skipTests) args.push("--skip-tests");
  return args;
}

/** The application's name without the namespace that instance names of other namespaces begin with. */
function releaseName({ source, appName }: RenderContext): string {
  return source.helm?.releaseName || appName.slice(appName.indexOf("_") + 1);
}

function locate(file: HelmFile, { root, refs }: TemplatePlaces): string {
  if (file.kind === "url") return file.url;
  if (file.kind === "fetched") return file.path;
  return join((file.ref === undefined ? root : refs[file.ref]) ?? root, file.path);
}

/** A comma would begin the next value, but `{a,b}` is a list; one that is escaped already stays so. */
export function escapeCommas(value: string): string {
  return value.startsWith("{") && value.endsWith("}") ? value : value.replace(/(?<!\\),/g, "\\,");
}
