import { syncOptionList } from "@capstan/model";
import type { Flags, Suggestion } from "../../command.ts";
import type { Io } from "../../io.ts";
import { appNamespaceFlag } from "./app-name.ts";

/** Those of an Application's list; what is said of them is also in docs/syncing.md. */
const syncOptions: readonly Suggestion[] = syncOptionList
  .filter(([, { saidBy }]) => saidBy !== "object")
  .map(([name, { values, sentence }]) => ({
    name,
    values: Object.keys(values),
    help: sentence.replaceAll("`", ""),
  }));

/** Flags of `app create` and `app set` (cmd/util/app.go AddAppFlags). */
export const appFlags = {
  repo: { kind: "string", help: "URL of the repository", value: "URL" },
  path: { kind: "string", help: "Folder in the repository", value: "PATH" },
  revision: { kind: "string", help: "Branch, tag, commit or constraint", value: "REVISION" },
  env: { kind: "string", help: "Has no effect, as in argocd", value: "NAME", hidden: true },
  "dry-source-repo": { kind: "string", help: "Repository to hydrate from", value: "URL" },
  "dry-source-revision": { kind: "string", help: "Revision to hydrate from", value: "REVISION" },
  "dry-source-path": { kind: "string", help: "Folder to hydrate from", value: "PATH" },
  "sync-source-branch": { kind: "string", help: "Branch of what is hydrated", value: "BRANCH" },
  "sync-source-path": { kind: "string", help: "Folder of what is hydrated", value: "PATH" },
  "hydrate-to-branch": { kind: "string", help: "Branch to hydrate to first", value: "BRANCH" },
  parameter: { kind: "strings", short: "p", help: "Helm parameter, name=value", value: "PARAMETER" },
  "helm-chart": { kind: "string", help: "Chart of a Helm repository", value: "NAME" },
  "dest-server": { kind: "string", help: "Address of the cluster", value: "URL" },
  "dest-name": { kind: "string", help: "Name of the cluster", value: "NAME" },
  "dest-namespace": { kind: "string", help: "Namespace to deploy to", value: "NAMESPACE" },
  project: { kind: "string", help: "Project", value: "PROJECT", byDefault: "default" },
  "sync-policy": {
    kind: "string",
    help: "When to sync",
    choices: ["none", "manual", "automated", "auto", "automatic"],
  },
  "auto-prune": { kind: "boolean", help: "Delete what git no longer has" },
  "self-heal": { kind: "boolean", help: "Undo changes in the cluster" },
  "allow-empty": { kind: "boolean", help: "Permit deleting everything" },
  "sync-option": {
    kind: "strings",
    help: "Option=value; ! in front removes it",
    value: "OPTION",
    suggestions: syncOptions,
  },
  "sync-retry-limit": { kind: "integer", help: "Retries of a failed sync", value: "N" },
  "sync-retry-refresh": { kind: "boolean", help: "Take the newest revision on each retry" },
  "sync-retry-backoff-duration": { kind: "string", help: "First wait between retries", byDefault: "5s" },
  "sync-retry-backoff-max-duration": {
    kind: "string",
    help: "Longest wait between retries",
    byDefault: "3m",
  },
  "sync-retry-backoff-factor": { kind: "integer", help: "By how much waits grow", byDefault: "2" },
  "revision-history-limit": { kind: "integer", help: "Deployments kept in the history", value: "N" },
  values: { kind: "strings", help: "Helm values file", value: "FILE" },
  "values-literal-file": { kind: "string", help: "File of this machine with Helm values", value: "FILE" },
  "ignore-missing-value-files": { kind: "boolean", help: "Go on without value files that do not exist" },
  "release-name": { kind: "string", help: "Helm release name", value: "NAME" },
  "helm-set": { kind: "strings", help: "Helm parameter, name=value", value: "PARAMETER" },
  "helm-set-string": { kind: "strings", help: "Helm parameter as text, name=value", value: "PARAMETER" },
  "helm-set-file": { kind: "strings", help: "Helm parameter from a file, name=path", value: "PARAMETER" },
  "helm-skip-crds": { kind: "boolean", help: "Leave out the chart's CRDs" },
  "helm-skip-tests": { kind: "boolean", help: "Leave out the chart's tests" },
  "helm-skip-schema-validation": { kind: "boolean", help: "Do not check values against the chart's schema" },
  "helm-pass-credentials": { kind: "boolean", help: "Pass credentials to all domains" },
  "helm-version": { kind: "string", help: "Version of Helm", value: "VERSION" },
  "helm-namespace": { kind: "string", help: "Namespace given to Helm", value: "NAMESPACE" },
  "helm-kube-version": { kind: "string", help: "Kubernetes version given to Helm", value: "VERSION" },
  "helm-api-versions": { kind: "list", help: "API versions given to Helm", value: "VERSION" },
  nameprefix: { kind: "string", help: "Kustomize name prefix", value: "TEXT" },
  namesuffix: { kind: "string", help: "Kustomize name suffix", value: "TEXT" },
  "kustomize-image": { kind: "strings", help: "Image override, [old=]name[:tag][@digest]", value: "IMAGE" },
  "kustomize-replica": { kind: "strings", help: "Replica override, name=count", value: "REPLICA" },
  "kustomize-namespace": { kind: "string", help: "Kustomize namespace", value: "NAMESPACE" },
  "kustomize-version": { kind: "string", help: "Version of Kustomize", value: "VERSION" },
  "kustomize-common-label": { kind: "strings", help: "Common label, name=value", value: "LABEL" },
  "kustomize-common-annotation": {
    kind: "strings",
    help: "Common annotation, name=value",
    value: "ANNOTATION",
  },
  "kustomize-label-without-selector": { kind: "boolean", help: "Leave selectors alone" },
  "kustomize-force-common-label": { kind: "boolean", help: "Override labels that are there" },
  "kustomize-force-common-annotation": { kind: "boolean", help: "Override annotations that are there" },
  "kustomize-label-include-templates": { kind: "boolean", help: "Common labels for templates too" },
  "kustomize-kube-version": { kind: "string", help: "Kubernetes version for charts", value: "VERSION" },
  "kustomize-api-versions": { kind: "list", help: "API versions for charts", value: "VERSION" },
  "ignore-missing-components": { kind: "boolean", help: "Go on without components that do not exist" },
  "directory-recurse": { kind: "boolean", help: "Also read folders below" },
  "directory-include": { kind: "string", help: "Only files that match", value: "GLOB" },
  "directory-exclude": { kind: "string", help: "No files that match", value: "GLOB" },
  "jsonnet-ext-var-str": {
    kind: "strings",
    help: "Jsonnet external variable, name=value",
    value: "VARIABLE",
  },
  "jsonnet-ext-var-code": {
    kind: "strings",
    help: "Jsonnet external variable as code, name=value",
    value: "VARIABLE",
  },
  "jsonnet-tla-str": { kind: "strings", help: "Jsonnet top-level argument, name=value", value: "ARGUMENT" },
  "jsonnet-tla-code": {
    kind: "strings",
    help: "Jsonnet top-level argument as code, name=value",
    value: "ARGUMENT",
  },
  "jsonnet-libs": { kind: "list", help: "Jsonnet library folders", value: "PATH" },
  "config-management-plugin": { kind: "string", help: "Plugin to render with", value: "NAME" },
  "plugin-env": { kind: "strings", help: "Variable for the plugin, name=value", value: "VARIABLE" },
  "plugin-parameter": {
    kind: "strings",
    help: "Parameter of the plugin: name=value, list[]=value, map[key]=value; stage/name of one stage",
    value: "PARAMETER",
  },
  ref: { kind: "string", help: "Name for $ref in value files of other sources", value: "NAME" },
  "source-name": { kind: "string", help: "Name of the source", value: "NAME" },
  validate: { kind: "boolean", help: "Render first", byDefault: "true" },
  ...appNamespaceFlag,
} as const satisfies Flags;

/** Of commands that take a folder of this machine in place of git. */
export const localFlags = {
  local: { kind: "string", help: "What this folder of this machine makes, instead of git", value: "DIR" },
  "local-repo-root": {
    kind: "string",
    help: "Folder that stands for the repository",
    value: "DIR",
    byDefault: "the checkout that --local is in",
  },
} as const;

/** Whether a flag is about the specification. */
export function saysSomething(flag: string): boolean {
  return flag in appFlags && !["app-namespace", "validate", "env"].includes(flag);
}

const hydration = /^(dry-source-|sync-source-|hydrate-to-)/;
const besideSources = /^(dest-.*|sync-.*|project|auto-prune|self-heal|allow-empty|revision-history-limit)$/;

/** Whether a flag is about one source. */
export function isAboutSource(flag: string): boolean {
  return saysSomething(flag) && !hydration.test(flag) && !besideSources.test(flag);
}

/** argocd leaves out flags of a source beside those of hydration, and says nothing (cmd/util/app.go SetAppSpecOptions). */
export function warnBesideHydration(io: Pick<Io, "err">, flags: object): void {
  const given = Object.keys(flags);
  const [first] = given.filter((flag) => hydration.test(flag));
  if (first) warnOfIgnored(io, given.filter(isAboutSource), `beside --${first}`);
}

export function warnOfIgnored(io: Pick<Io, "err">, flags: readonly string[], where: string): void {
  const names = flags.map((flag) => `--${flag}`).join(", ");
  if (names !== "") io.err(`warning: without effect ${where}: ${names}\n`);
}
