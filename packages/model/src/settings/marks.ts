import { syncOptionProblem } from "../sync-options/sync-option-problem.ts";
import { syncOptionList } from "../sync-options/sync-option-records.ts";
import { alike, honoured, type KnownSetting, notHonoured } from "./known-setting.ts";

const own = "argocd.argoproj.io/";
const application = { holder: "Application", part: "annotation" } as const;
const managed = { holder: "managed object", part: "annotation" } as const;

/** Annotations, labels and finalizers of Applications and of projects (Argo CD: common/common.go). */
export const applicationMarks: readonly KnownSetting[] = [
  ...honoured(application, "controllers/src", [
    `${own}refresh`,
    `${own}refresh-timestamp`,
    `${own}deletion-approved`,
  ]),
  ...honoured(application, "model/src", ["capstan.dev/prune-budget"]),
  ...honoured(application, "engine/src/sync", ["capstan.dev/prune-allowed", "capstan.dev/depends-on"]),
  ...honoured(application, "controllers/src/application", [
    "capstan.dev/operated-by",
    "capstan.dev/traceparent",
  ]),
  ...honoured(application, "controllers/src/image-updater", ["capstan.dev/image-updates-refresh"]),
  ...honoured(application, "planning/src", [`${own}manifest-generate-paths`]),
  ...honoured(application, "engine/src/sync", [`${own}client-side-apply-migration-manager`]),
  ...honoured(application, "model/src", [`${own}skip-reconcile`]),
  ...honoured(application, "servers/src", ["link.argocd.argoproj.io/<id>"]),
  // Its options stand below, one by one.
  ...honoured(application, "engine/src/settings", [`${own}compare-options`]),
  ...notHonoured(application, {
    ...alike("nothing hydrates sources yet", [`${own}hydrate`, `${own}hydrate-timestamp`]),
    [`${own}managed-by-url`]: "links to applications lead to this installation",
    ...alike("the page shows no notice of an application's own", [
      "notice.argocd.argoproj.io/content",
      "notice.argocd.argoproj.io/severity",
      "notice.argocd.argoproj.io/url",
      "notice.argocd.argoproj.io/permanent",
      "notice.argocd.argoproj.io/icon",
      "notice.argocd.argoproj.io/scope",
    ]),
    ...alike("the page opens as its viewer left it", [
      "pref.argocd.argoproj.io/default-view",
      "pref.argocd.argoproj.io/default-pod-sort",
    ]),
  }),
  ...honoured(application, "engine/src/notifications", [
    "notifications.argoproj.io/subscribe.<subscription>",
    "notifications.argoproj.io/subscriptions",
    "notified.notifications.argoproj.io",
  ]),
  ...honoured({ holder: "Application", part: "finalizer" }, "model/src", [
    "resources-finalizer.argocd.argoproj.io",
    "resources-finalizer.argocd.argoproj.io/foreground",
    "resources-finalizer.argocd.argoproj.io/background",
    "pre-delete-finalizer.argocd.argoproj.io",
    "pre-delete-finalizer.argocd.argoproj.io/cleanup",
    "post-delete-finalizer.argocd.argoproj.io",
    "post-delete-finalizer.argocd.argoproj.io/cleanup",
  ]),
  ...honoured({ holder: "AppProject", part: "annotation" }, "engine/src/notifications", [
    "notifications.argoproj.io/subscribe.<subscription>",
    "notifications.argoproj.io/subscriptions",
    "<trigger>.recipients.argocd-notifications.argoproj.io",
    "recipients.argocd-notifications.argoproj.io",
  ]),
  ...honoured({ holder: "AppProject", part: "finalizer" }, "controllers/src", [
    "resources-finalizer.argocd.argoproj.io",
  ]),
  ...honoured({ holder: "ApplicationSet", part: "annotation" }, "controllers/src/application-set", [
    "capstan.dev/traceparent",
    `${own}application-set-refresh`,
  ]),
  ...honoured({ holder: "ApplicationSet", part: "annotation" }, "model/src", ["capstan.dev/deletion-budget"]),
  ...honoured({ holder: "ApplicationSet", part: "annotation" }, "engine/src/generators", [
    "capstan.dev/deletion-allowed",
  ]),
  ...honoured({ holder: "ApplicationSet", part: "finalizer" }, "controllers/src/application-set", [
    "resources-finalizer.argocd.argoproj.io",
  ]),
];

/** Annotations and labels of what applications deploy, and of Services with plugins. */
export const objectMarks: readonly KnownSetting[] = [
  ...honoured(managed, "engine/src", [
    `${own}tracking-id`,
    "capstan.dev/hook-of",
    `${own}installation-id`,
    `${own}sync-wave`,
    `${own}hook`,
    `${own}hook-delete-policy`,
    `${own}ignore-restart-policy`,
    `${own}ignore-default-links`,
    "link.argocd.argoproj.io/<id>",
    "helm.sh/hook",
    "helm.sh/hook-delete-policy",
    "helm.sh/hook-weight",
    "helm.sh/resource-policy",
    "kubectl.kubernetes.io/last-applied-configuration",
  ]),
  ...honoured(managed, "controllers/src", [`${own}ignore-healthcheck`]),
  // Their options stand below, one by one.
  ...honoured(managed, "model/src", [`${own}sync-options`, `${own}compare-options`]),
  ...notHonoured(managed, {
    [`${own}ignore-resource-updates`]: "every update of an object is looked at",
  }),
  ...honoured({ holder: "managed object", part: "label" }, "engine/src", ["app.kubernetes.io/instance"]),
  ...honoured({ holder: "managed object", part: "finalizer" }, "engine/src", [`${own}hook-finalizer`]),
  ...honoured({ holder: "AppProject", part: "annotation" }, "model/src", [
    "capstan.dev/secret-stores",
    "capstan.dev/prune-budget",
  ]),
  ...honoured({ holder: "Service of a plugin", part: "label" }, "controllers/src", [`${own}plugin`]),
  ...honoured({ holder: "Service of a plugin", part: "annotation" }, "controllers/src", [
    `${own}plugin-name`,
    `${own}plugin-version`,
    `${own}plugin-plaintext`,
    `${own}plugin-ca`,
  ]),
];

const option = (holder: "Application" | "managed object") => ({ holder, part: "sync option" }) as const;
const comparing = (holder: "Application" | "managed object") => ({ holder, part: "compare option" }) as const;
const ofApplications = "it has an effect only as an annotation of the Application";

function syncOptionsAt(holder: "Application" | "managed object"): KnownSetting[] {
  const place = holder === "Application" ? "application" : "object";
  return syncOptionList.flatMap(([name, { values, doneIn }]) =>
    Object.keys(values).flatMap((value) => {
      const text = `${name}=${value}`;
      const problem = syncOptionProblem(text, place);
      if (problem === undefined) return honoured(option(holder), doneIn, [text]);
      return notHonoured(option(holder), { [text]: `it ${problem}` });
    }),
  );
}

/** Sync and compare options: of the application's list, and of the annotations of objects (Argo CD: gitops-engine pkg/sync/common/types.go). */
export const options: readonly KnownSetting[] = [
  ...syncOptionsAt("Application"),
  ...syncOptionsAt("managed object"),
  ...honoured(comparing("Application"), "engine/src/compare", [
    "ServerSideDiff=true",
    "ServerSideDiff=false",
    "IncludeMutationWebhook=true",
  ]),
  ...notHonoured(comparing("Application"), {
    IgnoreExtraneous: "it has an effect only as an annotation of an object",
  }),
  ...honoured(comparing("managed object"), "engine/src/compare", ["IgnoreExtraneous"]),
  ...notHonoured(
    comparing("managed object"),
    alike(ofApplications, ["ServerSideDiff=true", "ServerSideDiff=false", "IncludeMutationWebhook=true"]),
  ),
];
