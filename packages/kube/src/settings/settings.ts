import type { RemoteTrust, RemovalBudget, Repository, ResourceIgnoreDifferences } from "@capstan/model";
import type { RbacRespect } from "../live/respect-rbac.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import type { SettingsFound } from "./find-not-honoured.ts";
import type { GlobalProjectSetting } from "./global-projects.ts";
import type { KindFilter } from "./kind-filter.ts";
import type { ExtensionSettings } from "./read-extensions.ts";

/** argocd-cm, with its defaults (Argo CD: util/settings). */
export interface GeneralSettings {
  url: string | undefined;
  /** Further addresses of this server. */
  additionalUrls: readonly string[];
  /** oidc.config, else dex.config; undefined: there is no single sign-on. */
  oidc: OidcSettings | undefined;
  adminEnabled: boolean;
  anonymousEnabled: boolean;
  sessionMs: number;
  passwordPattern: string;
  tracking: {
    method: "annotation" | "annotation+label" | "label";
    instanceLabelKey: string;
    installationId?: string;
  };
  exclusions: readonly KindFilter[];
  inclusions: readonly KindFilter[];
  respectRbac: RbacRespect;
  /** resource.customizations.ignoreDifferences.<group_kind>; kind "*" stands for `all`. */
  ignoreDifferences: readonly ResourceIgnoreDifferences[];
  /** resource.customizations.knownTypeFields.<group_kind>. */
  knownTypeFields: readonly KnownTypeField[];
  /** Scripts of resource.customizations and of the keys that begin so. */
  customizations: readonly KindCustomization[];
  ignoreAggregatedRoles: boolean;
  ignoreResourceStatusField: "all" | "crd" | "none";
  /** undefined: no refresh by time. */
  reconcileMs: number | undefined;
  reconcileJitterMs: number;
  hardReconcileMs: number | undefined;
  kustomizeBuildOptions: string | undefined;
  /** Programs by version: kustomize.path.<version>. */
  kustomizeVersions: Readonly<Record<string, string>>;
  disabledTypes: readonly ("Helm" | "Kustomize" | "Jsonnet")[];
  helmValuesFileSchemes: readonly string[];
  /** reposerver.enable.git.submodule of argocd-cmd-params-cm is "false": submodules' content is not wanted. */
  withoutSubmodules: boolean;
  /** controller.ignore.normalizer.jq.timeout of argocd-cmd-params-cm: of one expression of ignoreDifferences. */
  jqTimeMs: number;
  /** controller.diff.server.side of argocd-cmd-params-cm: applications that do not say otherwise are compared by dry runs. */
  serverSideDiff: boolean;
  /** controller.sync.timeout.seconds: longest an operation may take; 0: no limit. */
  syncTimeoutMs: number;
  /** controller.sync.wave.delay.seconds: pause between waves; undefined: as the program was started. */
  waveDelayMs: number | undefined;
  inClusterEnabled: boolean;
  impersonation: { enabled: boolean; enforced: boolean };
  /** Public keys of argocd-gpg-keys-cm, armored; nothing where signatures are verified nowhere (ARGOCD_GPG_ENABLED). */
  keyring: readonly string[] | undefined;
  /** Whoever may update or delete an application may do so with its objects. */
  fineGrainedInheritance: boolean;
  /** A rollback needs a right of its own, not that to sync. */
  rollbackEnforced: boolean;
  /** A sync to another revision than the application follows needs the right to override. */
  otherRevisionEnforced: boolean;
  /** Where neither an application nor its project says. */
  pruneBudget: RemovalBudget;
  /** Where an ApplicationSet does not say. */
  deletionBudget: RemovalBudget;
  maskedAnnotations: readonly string[];
  /** Globs of the labels of an application and its project that its events carry. */
  eventLabelKeys: { include: readonly string[]; exclude: readonly string[] };
  webhookMaxBytes: number;
  globalProjects: readonly GlobalProjectSetting[];
  page: PageSettings;
  /** Labels that nodes of trees show. */
  customLabels: readonly string[];
  links: DeepLinks;
  /** exec.enabled, and exec.shells in the order in which they are tried. */
  terminal: { enabled: boolean; shells: readonly string[] };
  /** application.allowedNodeLabels: of the nodes on which applications' Pods are, what trees show. */
  nodeLabels: readonly string[];
  /** Empty: there are none; undefined: nobody has said yet what can be used. */
  extensions: readonly ExtensionSettings[] | undefined;
  /** Every key as written, for what is not read here. */
  raw: Readonly<Record<string, string>>;
}

/** A field of a custom kind that holds a type of Kubernetes'. */
export interface KnownTypeField {
  group: string;
  kind: string;
  /** Names on the way; what lies in lists is meant too. */
  field: readonly string[];
  /** core/v1/PodSpec, core/Quantity, meta/v1/Duration. */
  type: string;
}

/** Lua that tells an object's health. */
export interface HealthScript {
  /** Where it is written, as a person finds it. */
  key: string;
  script: string;
  openLibs: boolean;
}

/** Lua that tells which actions an object has, and what each does. */
export interface ActionScripts {
  key: string;
  /** Empty: there is none. */
  discovery: string;
  definitions: readonly { name: string; script: string }[];
  mergesBuiltIn: boolean;
}

export interface KindCustomization {
  /** "apps/Deployment", "Pod", "*.crossplane.io/*". */
  pattern: string;
  health?: HealthScript;
  actions?: ActionScripts;
}

/** An OpenID provider, with secrets instead of the references to them (util/settings OIDCConfig). */
export interface OidcSettings {
  name: string;
  issuer: string;
  clientId: string;
  clientSecret?: string;
  /** Client of the command line, which has no secret; undefined: the same. */
  cliClientId?: string;
  /** Empty: openid, profile, email, groups. */
  scopes: readonly string[];
  /** OpenID Connect Core 1.0, 5.5: by claim, as written. */
  idTokenClaims: Readonly<Record<string, unknown>>;
  /** With {{token}} and {{logoutRedirectURL}} in it. */
  logoutUrl?: string;
  /** PEM: who vouches for the provider in place of those that the machine knows. */
  rootCa?: string;
  /** Whether anybody has to. */
  isVerified: boolean;
  needsPkce: boolean;
  domainHint?: string;
  /** One of them must be the token's. */
  audiences: readonly string[];
  takesAbsentAudience: boolean;
  /** Where groups are asked for. */
  userInfo?: { url: string; keepMs?: number };
  /** Sessions with less than this left are refreshed; undefined: only when they have ended. */
  refreshMs?: number;
  /** The service account's token, projected by Azure, in place of a secret. */
  usesWorkloadIdentity: boolean;
  /** It is the Dex of dex.config, asked at this address whatever the issuer's host is. */
  dex?: { server: string; isVerified: boolean };
}

/** A link that the page shows beside an object. */
export interface DeepLink {
  title: string;
  /** A Go template with sprig's functions. */
  url: string;
  description?: string;
  /** Of Font Awesome. */
  iconClass?: string;
  /** An expression of expr; undefined: it is always shown. */
  condition?: string;
}

export interface DeepLinks {
  application: readonly DeepLink[];
  project: readonly DeepLink[];
  resource: readonly DeepLink[];
}

/** What the page shows beside objects; addresses begin with http:// or https://. */
export interface PageSettings {
  /** Or a path at this server. */
  cssUrl?: string;
  bannerContent?: string;
  bannerUrl?: string;
  bannerPermanent: boolean;
  bannerPosition?: string;
  chatUrl?: string;
  chatText?: string;
  /** Addresses of the command line by platform. */
  binaryUrls: Readonly<Record<string, string>>;
  badgeEnabled: boolean;
  badgeRootUrl?: string;
  analyticsId?: string;
  anonymizeUsers: boolean;
}

/** argocd-rbac-cm. */
export interface RbacSettings {
  /** policy.csv, then policy.<name>.csv by their names. */
  policies: readonly { readonly name: string; readonly text: string }[];
  defaultRole: string;
  /** Claims of a token that hold groups. */
  scopes: readonly string[];
  matchMode: "glob" | "regex";
}

/** Where a repository or cluster was read from. */
export interface SecretSource {
  secretName: string;
  resourceVersion: string;
}

export interface ClusterSettings {
  server: string;
  name: string;
  project: string | undefined;
  /** The project has no more than its name there: it was claimed before there was one. */
  isByName: boolean;
  /** Only these namespaces; undefined: all. */
  namespaces: readonly string[] | undefined;
  clusterResources: boolean;
  shard: number | undefined;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  config: ClusterConfig;
  secret: SecretSource;
}

/** A setting that could not be read; its default, or nothing, is in force. */
export interface SettingsProblem {
  /** "ConfigMap argocd-cm" */
  where: string;
  field: string;
  problem: string;
}

/** A setting on which safety hangs and that cannot be read now: what it said last is in force, if that is known. */
export interface UnreadableSetting extends SettingsProblem {
  isKept: boolean;
}

/** Secret argocd-plugin-services-tls: how plugins that run as Services are known, and what they are shown; PEM texts. */
export interface PluginTlsSettings {
  authority?: { authority: string; from: string };
  certificate?: { certificate: string; key: string };
  /** Of Secrets with the label secret-type=plugin-token, by their names. */
  tokens?: Readonly<Record<string, string>>;
}

/** PEM texts of what the API server shows, and the Secret that holds them. */
export interface ServerTlsSettings {
  certificate: string;
  key: string;
  from: string;
}

export interface NotificationTexts {
  readonly map: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

export interface Settings {
  general: GeneralSettings;
  rbac: RbacSettings;
  /** argocd-secret, decoded. */
  secret: Readonly<Record<string, string>>;
  /** argocd-cmd-params-cm. */
  params: Readonly<Record<string, string>>;
  /** argocd-image-updater-config. */
  imageUpdater: Readonly<Record<string, string>>;
  repositories: readonly (Repository & { secret: SecretSource })[];
  credentialTemplates: readonly (Repository & { secret: SecretSource })[];
  /** With which a repository may be written to. */
  writeRepositories: Settings["repositories"];
  writeCredentialTemplates: Settings["credentialTemplates"];
  clusters: readonly ClusterSettings[];
  /** ConfigMap argocd-notifications-cm and Secret argocd-notifications-secret, as they are. */
  notifications: NotificationTexts;
  /** ConfigMaps argocd-tls-certs-cm and argocd-ssh-known-hosts-cm. */
  trust: RemoteTrust;
  pluginTls: PluginTlsSettings;
  /** Of Secret argocd-server-tls, else of argocd-secret; undefined: neither has them. */
  serverTls: ServerTlsSettings | undefined;
  problems: readonly SettingsProblem[];
  unreadable: readonly UnreadableSetting[];
  /** What is set and not honoured, by where it is set. */
  notHonoured: readonly SettingsFound[];
}
