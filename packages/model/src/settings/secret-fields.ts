import { credentialFields } from "../repository/repository.ts";
import { alike, honoured, type KnownSetting, notHonoured } from "./known-setting.ts";

const repository = { holder: "Secret of a repository", part: "key" } as const;
const template = { holder: "Secret of repository credentials", part: "key" } as const;
const cluster = { holder: "Secret of a cluster", part: "key" } as const;

const ofBoth = ["url", "type", "proxy", "noProxy", "forceHttpBasicAuth"];
const azure =
  "principals of Azure are not logged in to: use a token as password, or useAzureWorkloadIdentity";
const azureKeys = ["azureServicePrincipalClientSecret", "azureActiveDirectoryEndpoint"];

/** Fields of Secrets with the label secret-type (util/db/repository_secrets.go, util/db/cluster.go). */
export const secretFields: readonly KnownSetting[] = [
  ...honoured(repository, "model/src/repository", credentialFields),
  ...honoured(repository, "kube/src/settings", [
    ...ofBoth,
    "name",
    "project",
    "useAzureWorkloadIdentity",
    "insecure",
    "insecureIgnoreHostKey",
    "enableOCI",
    "insecureOCIForceHttp",
  ]),
  ...honoured(repository, "render/src/fetch", ["enableLfs"]),
  ...notHonoured(repository, {
    depth: "one commit is fetched, or all where a server does not give single ones",
    webhookManifestCacheWarmDisabled: "renderings are kept by what they were made of; nothing need be moved",
    ...alike(azure, [...azureKeys, "azureServicePrincipalClientId", "azureServicePrincipalTenantId"]),
  }),
  ...honoured(template, "model/src/repository", credentialFields),
  ...honoured(template, "kube/src/settings", [...ofBoth, "enableOCI", "project", "useAzureWorkloadIdentity"]),
  ...notHonoured(template, {
    ...alike("it is taken from the repository's own Secret only", [
      "insecure",
      "insecureOCIForceHttp",
      "name",
    ]),
    ...alike(azure, [...azureKeys, "azureServicePrincipalClientID", "azureServicePrincipalTenantID"]),
  }),
  ...honoured(cluster, "kube/src/settings", [
    "server",
    "name",
    "config",
    "namespaces",
    "clusterResources",
    "project",
    "config.username",
    "config.password",
    "config.bearerToken",
    "config.tlsClientConfig.insecure",
    "config.tlsClientConfig.serverName",
    "config.tlsClientConfig.certData",
    "config.tlsClientConfig.keyData",
    "config.tlsClientConfig.caData",
    "config.disableCompression",
    "config.proxyUrl",
  ]),
  ...honoured(cluster, "kube/src/transport", [
    "config.execProviderConfig.command",
    "config.execProviderConfig.args",
    "config.execProviderConfig.env",
    "config.execProviderConfig.apiVersion",
    "config.execProviderConfig.installHint",
    "config.execProviderConfig.provideClusterInfo",
    "config.awsAuthConfig",
    "config.awsAuthConfig.clusterName",
    "config.awsAuthConfig.roleARN",
    "config.awsAuthConfig.profile",
  ]),
  ...notHonoured(cluster, { shard: "controllers share applications, not clusters" }),
];

const secret = { holder: "Secret", part: "label value" } as const;
const type = "argocd.argoproj.io/secret-type";

/** Labels and annotations of such Secrets. */
export const secretMarks: readonly KnownSetting[] = [
  ...honoured(secret, "kube/src/settings", [
    `${type}=repository`,
    `${type}=repo-creds`,
    `${type}=cluster`,
    `${type}=repository-write`,
    `${type}=repo-write-creds`,
  ]),
  ...honoured(secret, "planning/src/application-set", [`${type}=scm-creds`]),
  ...honoured({ holder: "Secret of a cluster", part: "annotation" }, "engine/src/settings", [
    "argocd.argoproj.io/skip-reconcile",
  ]),
  ...honoured({ holder: "Secret of a cluster", part: "annotation" }, "kube/src", [
    "argocd.argoproj.io/refresh",
    "capstan.dev/cluster-by-name",
  ]),
  ...notHonoured(
    { holder: "Secret of a cluster", part: "label" },
    {
      "argocd.argoproj.io/auto-label-cluster-info":
        "labels of cluster Secrets are left alone; capstan cluster list shows the version",
      "argocd.argoproj.io/kubernetes-version": "labels of cluster Secrets are left alone",
    },
  ),
  ...honoured({ holder: "Secret of a repository", part: "annotation" }, "servers/src", ["managed-by"]),
];
