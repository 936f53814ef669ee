import { alike, honoured, type KnownSetting, notHonoured } from "./known-setting.ts";

const general = { holder: "ConfigMap argocd-cm", part: "key" } as const;

/** argocd-cm (util/settings/settings.go). */
export const generalSettings: readonly KnownSetting[] = [
  ...honoured(general, "kube/src/settings", [
    "url",
    "additionalUrls",
    "oidc.config",
    "dex.config",
    "oidc.tls.insecure.skip.verify",
    "admin.enabled",
    "users.anonymous.enabled",
    "users.session.duration",
    "passwordPattern",
    "application.instanceLabelKey",
    "application.resourceTrackingMethod",
    "installationID",
    "resource.exclusions",
    "resource.inclusions",
    "resource.respectRBAC",
    "resource.compareoptions",
    "resource.customizations",
    "resource.customizations.ignoreDifferences.<kind>",
    "resource.customizations.knownTypeFields.<kind>",
    "resource.sensitive.mask.annotations",
    "resource.includeEventLabelKeys",
    "resource.excludeEventLabelKeys",
    "globalProjects",
    "resource.customizations.health.<kind>",
    "resource.customizations.useOpenLibs.<kind>",
    "resource.customizations.actions.<kind>",
    "timeout.reconciliation",
    "timeout.reconciliation.jitter",
    "timeout.hard.reconciliation",
    "kustomize.buildOptions",
    "kustomize.path.<version>",
    "kustomize.version.<version>",
    "kustomize.enable",
    "helm.enable",
    "jsonnet.enable",
    "helm.valuesFileSchemes",
    "cluster.inClusterEnabled",
    "application.sync.impersonation.enabled",
    "application.sync.impersonation.enforced",
    "application.sync.requireOverridePrivilegeForRevisionSync",
    "webhook.maxPayloadSizeMB",
    "server.rbac.disableApplicationFineGrainedRBACInheritance",
    "server.rbac.rollback.enforce.enable",
    "help.chatUrl",
    "help.chatText",
    "ui.bannercontent",
    "ui.bannerurl",
    "statusbadge.enabled",
    "capstan.pruneBudget",
    "capstan.deletionBudget",
    "ui.bannerpermanent",
    "ui.bannerposition",
    "ui.cssurl",
    "help.download.<platform>",
    "statusbadge.url",
    "resource.customLabels",
    "application.links",
    "project.links",
    "resource.links",
    "extension.config",
    "extension.config.<name>",
    "application.allowedNodeLabels",
    "exec.enabled",
    "exec.shells",
  ]),
  ...honoured(general, "servers/src", [
    "accounts.<name>",
    "accounts.<name>.enabled",
    "ui.loginButtonText",
    "server.maxPodLogsToRender",
  ]),
  ...honoured(general, "model/src/plugin", ["configManagementPlugins"]),
  ...notHonoured(general, {
    "ui.view.resources.disabled": "the page has no view of all resources",
    ...alike("the page sends nothing to anybody", ["ga.trackingid", "ga.anonymizeusers"]),
    "dex.auth.connectorId": "Dex itself asks which connector is meant, where it has several",
    "resource.customizations.ignoreResourceUpdates.<kind>":
      "every update of a managed object is looked at, which costs no more than a comparison of that object",
    "resource.ignoreResourceUpdatesEnabled": "every update of a managed object is looked at",
    ...alike("applications that a webhook concerns are refreshed at once", [
      "webhook.refresh.jitter",
      "webhook.refresh.jitter.threshold",
    ]),
    ...alike("nothing hydrates sources yet", [
      "sourceHydrator.commitMessageTemplate",
      "sourceHydrator.readmeMessageTemplate",
      "commit.author.name",
      "commit.author.email",
    ]),
  }),
];

const rbac = { holder: "ConfigMap argocd-rbac-cm", part: "key" } as const;

export const accessSettings: readonly KnownSetting[] = honoured(rbac, "kube/src/settings", [
  "policy.csv",
  "policy.<name>.csv",
  "policy.default",
  "policy.matchMode",
  "scopes",
]);

const secret = { holder: "Secret argocd-secret", part: "key" } as const;

/** argocd-secret, and the Secrets of servers' certificates. */
export const secretSettings: readonly KnownSetting[] = [
  ...honoured(secret, "servers/src", [
    "admin.password",
    "admin.passwordMtime",
    "admin.tokens",
    "accounts.<name>.password",
    "accounts.<name>.passwordMtime",
    "accounts.<name>.tokens",
    "server.secretkey",
    "tls.crt",
    "tls.key",
    "webhook.github.secret",
    "webhook.gitlab.secret",
    "webhook.gogs.secret",
    "webhook.bitbucket.uuid",
    "webhook.bitbucketserver.secret",
    "webhook.azuredevops.username",
    "webhook.azuredevops.password",
    "webhook.docker.secret",
    "webhook.quay.secret",
    "webhook.harbor.secret",
    "webhook.acr.secret",
    "webhook.aliyun-acr.secret",
    "webhook.artifact-registry.secret",
    "webhook.cloudevents.secret",
  ]),
  ...honoured({ holder: "Secret argocd-server-tls", part: "key" }, "kube/src/settings", [
    "tls.crt",
    "tls.key",
  ]),
  ...notHonoured(
    { holder: "Secret argocd-server-tls", part: "key" },
    { "ca.crt": "the server shows tls.crt, with its chain, and asks nobody for a certificate" },
  ),
  ...honoured({ holder: "Secret argocd-plugin-services-tls", part: "key" }, "kube/src/settings", [
    "ca.crt",
    "tls.crt",
    "tls.key",
  ]),
];

/** ConfigMaps of certificates and keys, and of notifications. */
export const otherSettings: readonly KnownSetting[] = [
  ...honoured({ holder: "ConfigMap argocd-tls-certs-cm", part: "key" }, "kube/src/settings", ["<host>"]),
  ...honoured({ holder: "ConfigMap argocd-ssh-known-hosts-cm", part: "key" }, "kube/src/settings", [
    "ssh_known_hosts",
  ]),
  ...honoured({ holder: "ConfigMap argocd-gpg-keys-cm", part: "key" }, "kube/src/settings", ["<key>"]),
  ...honoured({ holder: "ConfigMap argocd-notifications-cm", part: "key" }, "engine/src/notifications", [
    "service.<name>",
    "trigger.<name>",
    "template.<name>",
    "subscriptions",
    "defaultTriggers",
    "defaultTriggers.<service>",
    "context",
  ]),
  ...notHonoured(
    { holder: "ConfigMap argocd-notifications-cm", part: "key" },
    { "config.yaml": "write its triggers, templates, context and subscriptions as keys of their own" },
  ),
  ...honoured({ holder: "Secret argocd-notifications-secret", part: "key" }, "engine/src/notifications", [
    "<name>",
  ]),
  ...notHonoured(
    { holder: "Secret argocd-notifications-secret", part: "key" },
    { "notifiers.yaml": "write its services as keys service.<type> of argocd-notifications-cm" },
  ),
  ...honoured(
    { holder: "ConfigMap argocd-image-updater-config", part: "key" },
    "planning/src/image-updates",
    ["interval", "registries.conf"],
  ),
  ...honoured(
    { holder: "ConfigMap argocd-image-updater-config", part: "key" },
    "controllers/src/image-updater",
    [
      "git.user",
      "git.email",
      "git.commit-message-template",
      "git.commit-sign-off",
      "git.commit-signing-key",
      "git.commit-signing-method",
    ],
  ),
  ...notHonoured(
    { holder: "ConfigMap argocd-image-updater-config", part: "key" },
    {
      ...alike(
        "the image updater is a part of Capstan's process: what the process is told holds for it too",
        [
          "argocd.namespace",
          "log.format",
          "log.level",
          "max_concurrent_apps",
          "max_concurrent_reconciles",
          "watch.namespaces",
          "kube.events",
        ],
      ),
      "git.commit-method":
        "commits are made by git: sign them with git.commit-signing-key, see docs/image-updates.md",
      ...alike("webhooks of registries come to the API server's address, with its TLS", [
        "webhook.enable",
        "webhook.port",
        "webhook.ratelimit-allowed",
        "webhook.require-secret",
        "disable-tls",
        "tls.ciphers",
        "tls.max-version",
        "tls.min-version",
      ]),
    },
  ),
  ...notHonoured(
    { holder: "ConfigMap argocd-app-controller-shard-cm", part: "key" },
    { shardControllerMapping: "controllers share applications, not clusters" },
  ),
];
