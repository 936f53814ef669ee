import type { SettingsReportRow } from "@capstan/model/settings";
import { object, optional, string } from "@capstan/model/shapes";
import type { PluginSummary } from "../repo-server.ts";
import type { Empty } from "./answers.ts";
import { bodyLimits, openRoute, publicRoute, route } from "./route.ts";

/** What of a ConfigMap of the installation may be written by whoever has the right. */
export interface SettingTexts {
  /** Empty where the ConfigMap is not there. */
  resourceVersion: string;
  /** Names of settings; one with a dot at its end is the beginning of some. */
  writable: string[];
  /** Those that are set; of what may hold a secret the name alone. */
  items: { setting: string; text?: string }[];
  /** JSON Schemas of what they may say where that is YAML, by their names as in `writable`; services by their type. */
  schemas: Record<string, object>;
}

const textSchema = object({ text: optional(string()), resourceVersion: optional(string()) });
const texts = "/api/v1/settings/texts/{name}";

export interface Settings {
  url: string;
  additionalUrls: string[];
  appLabelKey: string;
  trackingMethod: string;
  statusBadgeEnabled: boolean;
  userLoginsDisabled: boolean;
  /** Where people log in: an OpenID provider, and connectors of a Dex. */
  oidcConfig?: {
    name: string;
    issuer: string;
    clientID: string;
    cliClientID: string;
    scopes: string[];
    idTokenClaims?: Record<string, unknown>;
    enablePKCEAuthentication: boolean;
  };
  dexConfig?: { connectors: { name: string; type: string }[] };
  /** Ours: ui.loginButtonText. */
  loginButtonText?: string;
  execEnabled: boolean;
  appsInAnyNamespaceEnabled: boolean;
  hydratorEnabled: boolean;
  help: { chatUrl?: string; chatText?: string; binaryUrls?: Record<string, string> };
  controllerNamespace?: string;
  uiBannerContent?: string;
  uiBannerURL?: string;
  uiBannerPermanent?: boolean;
  uiBannerPosition?: string;
  uiCssURL?: string;
  statusBadgeRootUrl?: string;
  passwordPattern?: string;
  installationID?: string;
  /** By "group/Kind": what of a kind is compared otherwise. `ignoreDifferences` is a text of JSON. */
  resourceOverrides?: Record<
    string,
    { ignoreDifferences?: string; knownTypeFields?: { field: string; type: string }[] }
  >;
  impersonationEnabled?: boolean;
  kustomizeOptions?: { buildOptions?: string };
  kustomizeVersions?: string[];
  googleAnalytics?: { trackingID?: string; anonymizeUsers?: boolean };
  plugins: { name: string }[];
  /** Ours: the cluster is the embedded one, in which nothing really runs. */
  simulatedCluster: boolean;
  /** Ours: /extensions.js has something for the page to run. */
  pageExtensions?: boolean;
}

/** Capitals as in Argo CD's version.proto. */
export interface Version {
  Version: string;
  BuildDate?: string;
  GitCommit?: string;
  Platform?: string;
  KustomizeVersion?: string;
  HelmVersion?: string;
  KubectlVersion?: string;
  ExtraBuildInfo?: string;
}

export const settingsRoutes = {
  getSettings: openRoute("GET", "/api/v1/settings", {})
    .rpc("cluster.SettingsService/Get")
    .answers<Settings>(),
  listPlugins: route("GET", "/api/v1/settings/plugins", {})
    .rpc("cluster.SettingsService/GetPlugins")
    .answers<{ plugins: PluginSummary[] }>(),
  /** Ours: what is set and not honoured. */
  reportSettings: route("GET", "/api/v1/settings/report", { all: "boolean" }).answers<{
    items: SettingsReportRow[];
  }>(),
  /** Ours: settings of the ConfigMap `name`, one by one, beside the `resourceVersion` that was read. */
  readSettingTexts: route("GET", texts, {}).answers<SettingTexts>(),
  writeSettingText: route("PUT", `${texts}/{setting}`, {})
    .takesAll(textSchema, bodyLimits.text)
    .answers<{ warnings: string[] }>(),
  deleteSettingText: route("DELETE", `${texts}/{setting}`, { resourceVersion: "string" }).answers<Empty>(),
  getVersion: publicRoute("GET", "/api/version").rpc("version.VersionService/Version").answers<Version>(),
} as const;
