import { isRecord } from "@capstan/formats";
import { tryRegexp } from "@capstan/formats/re2";
import { defaultRemovalBudget, labelKeys, type RemovalBudget, readRemovalBudget } from "@capstan/model";
import { readGlobalProjects } from "./global-projects.ts";
import { type KindFilter, readKindFilters } from "./kind-filter.ts";
import { readCustomizations } from "./read-customizations.ts";
import { readIgnoreDifferences, readKnownTypeFields, readYaml } from "./read-differences.ts";
import { readLinks } from "./read-links.ts";
import { readNodeLabels, readPage, readTerminal } from "./read-page.ts";
import type { ValueReader } from "./read-values.ts";
import type { GeneralSettings, RbacSettings } from "./settings.ts";

const defaultReconcileMs = 120_000;
const defaultJitterMs = 60_000;
const defaultSessionMs = 24 * 3_600_000;
const rollbackKey = "server.rbac.rollback.enforce.enable";
const otherRevisionKey = "application.sync.requireOverridePrivilegeForRevisionSync";

/** Settings of argocd-cm. Source: util/settings/settings.go, with its defaults. */
export function readGeneral(
  reader: ValueReader,
  raw: Readonly<Record<string, string>>,
): Omit<
  GeneralSettings,
  | "withoutSubmodules"
  | "jqTimeMs"
  | "serverSideDiff"
  | "oidc"
  | "extensions"
  | "keyring"
  | keyof ReturnType<typeof readSyncTimes>
> {
  const block = readYaml(reader, "resource.customizations");
  return {
    url: reader.text("url"),
    additionalUrls: readAdditionalUrls(reader),
    // What cannot be read lets nobody in.
    adminEnabled: reader.boolean("admin.enabled", reader.text("admin.enabled") === undefined),
    anonymousEnabled: reader.boolean("users.anonymous.enabled", false),
    sessionMs: reader.duration("users.session.duration") ?? defaultSessionMs,
    passwordPattern: readPasswordPattern(reader),
    tracking: readTracking(reader),
    exclusions: readFilters(reader, "resource.exclusions"),
    inclusions: readFilters(reader, "resource.inclusions"),
    respectRbac: readRespect(reader),
    ignoreDifferences: readIgnoreDifferences(reader, { block, raw }),
    knownTypeFields: readKnownTypeFields(reader, { block, raw }),
    customizations: readCustomizations(reader, { block, raw }),
    ...readCompareOptions(reader),
    reconcileMs: durationOrOff(reader.duration("timeout.reconciliation") ?? defaultReconcileMs),
    reconcileJitterMs: reader.duration("timeout.reconciliation.jitter") ?? defaultJitterMs,
    hardReconcileMs: durationOrOff(reader.duration("timeout.hard.reconciliation") ?? 0),
    kustomizeBuildOptions: reader.text("kustomize.buildOptions"),
    kustomizeVersions: readKustomizeVersions(raw),
    disabledTypes: disabledTypes(reader),
    helmValuesFileSchemes: reader.text("helm.valuesFileSchemes")
      ? reader.list("helm.valuesFileSchemes")
      : ["https", "http"],
    inClusterEnabled: reader.boolean("cluster.inClusterEnabled", true),
    impersonation: {
      enabled: reader.boolean("application.sync.impersonation.enabled", false),
      enforced: reader.boolean("application.sync.impersonation.enforced", true),
    },
    fineGrainedInheritance: !reader.boolean("server.rbac.disableApplicationFineGrainedRBACInheritance", true),
    // What cannot be read asks for the narrower right.
    rollbackEnforced: reader.boolean(rollbackKey, reader.text(rollbackKey) !== undefined),
    otherRevisionEnforced: reader.boolean(otherRevisionKey, reader.text(otherRevisionKey) !== undefined),
    pruneBudget: readBudget(reader, "capstan.pruneBudget"),
    deletionBudget: readBudget(reader, "capstan.deletionBudget"),
    maskedAnnotations: reader.list("resource.sensitive.mask.annotations"),
    eventLabelKeys: {
      include: reader.list("resource.includeEventLabelKeys"),
      exclude: reader.list("resource.excludeEventLabelKeys"),
    },
    globalProjects: readGlobalProjects(readYaml(reader, "globalProjects"), (problem) =>
      reader.problem("globalProjects", problem),
    ),
    webhookMaxBytes: (reader.integer("webhook.maxPayloadSizeMB") ?? 50) * 1024 * 1024,
    page: readPage(reader, raw),
    links: readLinks(reader),
    customLabels: reader.list("resource.customLabels"),
    terminal: readTerminal(reader),
    nodeLabels: readNodeLabels(reader),
    raw,
  };
}

/** One that is no expression stays as it is: no password fits it until it is mended (util/settings GetPasswordPattern). */
function readPasswordPattern(reader: ValueReader): string {
  const pattern = reader.text("passwordPattern") ?? "^.{8,32}$";
  if (!tryRegexp(pattern)) reader.problem("passwordPattern", "is not a regular expression of Go (RE2)");
  return pattern;
}

/** A YAML list, of texts or of `{url}` (util/settings ArgoCDSettings.AdditionalURLs). */
function readAdditionalUrls(reader: ValueReader): string[] {
  const value = readYaml(reader, "additionalUrls");
  const list = value === undefined || value === null ? [] : [value].flat();
  const urls = list
    .map((one) => (isRecord(one) ? one.url : one))
    .filter((one) => typeof one === "string")
    .filter((one) => URL.canParse(one));
  if (urls.length < list.length) reader.problem("additionalUrls", "is not a list of addresses");
  return urls;
}

/** Capstan's own; what cannot be read is the default, which holds more rather than less. */
function readBudget(
  reader: ValueReader,
  field: "capstan.pruneBudget" | "capstan.deletionBudget",
): RemovalBudget {
  const text = reader.text(field);
  if (text === undefined) return defaultRemovalBudget;
  const budget = readRemovalBudget(text);
  if (budget === undefined) reader.problem(field, "is neither a share from 0% to 100% nor off");
  return budget ?? defaultRemovalBudget;
}

function readFilters(reader: ValueReader, field: string): KindFilter[] {
  return readKindFilters(readYaml(reader, field), (problem) => reader.problem(field, problem));
}

/** Nothing, and Argo CD has no word for that, is off (util/settings RespectRBAC). */
function readRespect(reader: ValueReader): GeneralSettings["respectRbac"] {
  return reader.oneOf("resource.respectRBAC", ["off", "normal", "strict"], "off");
}

const mostWaveDelaySeconds = 3600;

/** Of argocd-cmd-params-cm. */
export function readSyncTimes(reader: ValueReader): Pick<GeneralSettings, "syncTimeoutMs" | "waveDelayMs"> {
  const timeout = readSeconds(reader, "controller.sync.timeout.seconds", 2 ** 31 - 1);
  const delay = readSeconds(reader, "controller.sync.wave.delay.seconds", mostWaveDelaySeconds);
  return {
    syncTimeoutMs: (timeout ?? 0) * 1000,
    waveDelayMs: delay === undefined ? undefined : delay * 1000,
  };
}

function readSeconds(
  reader: ValueReader,
  field: "controller.sync.timeout.seconds" | "controller.sync.wave.delay.seconds",
  most: number,
): number | undefined {
  const seconds = reader.integer(field);
  if (seconds === undefined || (seconds >= 0 && seconds <= most)) return seconds;
  reader.problem(field, `is not from 0 to ${most}`);
  return undefined;
}

function readTracking(reader: ValueReader): GeneralSettings["tracking"] {
  const installationId = reader.text("installationID");
  return {
    method: reader.oneOf(
      "application.resourceTrackingMethod",
      ["annotation", "annotation+label", "label"],
      "annotation",
    ),
    instanceLabelKey: reader.text("application.instanceLabelKey") ?? labelKeys.instance,
    ...(installationId === undefined ? {} : { installationId }),
  };
}

/** Source: util/rbac PolicyCSV and syncUpdate. */
export function readRbac(reader: ValueReader, raw: Readonly<Record<string, string>>): RbacSettings {
  const more = Object.keys(raw).filter(
    (field) => field.startsWith("policy.") && field.endsWith(".csv") && field !== "policy.csv",
  );
  return {
    policies: ["policy.csv", ...more.sort()].map((name) => ({ name, text: raw[name] ?? "" })),
    defaultRole: reader.text("policy.default") ?? "",
    scopes: readScopes(reader),
    matchMode: reader.oneOf("policy.matchMode", ["glob", "regex"], "glob"),
  };
}

function readScopes(reader: ValueReader): string[] {
  if (reader.text("scopes") === undefined) return ["groups"];
  const scopes = readYaml(reader, "scopes");
  if (Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string")) return scopes;
  if (!reader.hasProblem(["scopes"]))
    reader.problem("scopes", "is not a list of names of claims, such as [groups]");
  // What cannot be read lets nobody in.
  return [];
}

/** `kustomize.path.<version>`, and `kustomize.version.<version>` as it was called before. */
function readKustomizeVersions(raw: Readonly<Record<string, string>>): Record<string, string> {
  const found = Object.entries(raw).flatMap(([key, path]) => {
    const version = /^kustomize\.(?:path|version)\.(.+)$/.exec(key)?.[1];
    return version === undefined || path === "" ? [] : [[version, path] as const];
  });
  return Object.fromEntries(found);
}

function durationOrOff(ms: number): number | undefined {
  return ms === 0 ? undefined : ms;
}

function disabledTypes(reader: ValueReader): ("Helm" | "Kustomize" | "Jsonnet")[] {
  const types: ("Helm" | "Kustomize" | "Jsonnet")[] = [];
  if (!reader.boolean("helm.enable", true)) types.push("Helm");
  if (!reader.boolean("kustomize.enable", true)) types.push("Kustomize");
  if (!reader.boolean("jsonnet.enable", true)) types.push("Jsonnet");
  return types;
}

function readCompareOptions(
  reader: ValueReader,
): Pick<GeneralSettings, "ignoreAggregatedRoles" | "ignoreResourceStatusField"> {
  const options = readYaml(reader, "resource.compareoptions");
  const fields = isRecord(options) ? options : {};
  const status = fields.ignoreResourceStatusField;
  const off = status === "none" || status === "off" || status === false;
  return {
    ignoreAggregatedRoles: fields.ignoreAggregatedRoles === true,
    ignoreResourceStatusField: off ? "none" : status === "crd" ? "crd" : "all",
  };
}
