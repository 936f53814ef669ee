import type { CommandEntry, Group } from "./command.ts";
import { entry } from "./command-entry.ts";

/** Commands that ask a cluster by its own API, or nobody. */
export const adminCommands: readonly CommandEntry[] = [
  entry("admin export", "Print a backup", () => import("./commands/admin/export.ts")),
  entry("admin import", "Bring back a backup", () => import("./commands/admin/import.ts")),
  entry(
    "admin initial-password",
    "Print the first password",
    () => import("./commands/admin/initial-password.ts"),
  ),
  entry(
    "admin settings report",
    "List what is set and not honoured",
    () => import("./commands/admin/settings-report.ts"),
  ),
  {
    ...entry(
      "admin settings rbac can",
      "Say whether a role or subject may do something",
      () => import("./commands/admin/rbac-can.ts"),
    ),
    aliases: ["admin rbac can"],
  },
  {
    ...entry(
      "admin settings rbac validate",
      "Check a policy, line by line",
      () => import("./commands/admin/rbac-validate.ts"),
    ),
    aliases: ["admin rbac validate"],
  },
  entry(
    "admin settings validate",
    "Check settings, group by group",
    () => import("./commands/admin/settings-validate.ts"),
  ),
  entry(
    "admin settings resource-overrides health",
    "Say how healthy an object is",
    () => import("./commands/admin/resource-override-health.ts"),
  ),
  entry(
    "admin settings resource-overrides ignore-differences",
    "Show which fields do not count",
    () => import("./commands/admin/resource-override-ignore-differences.ts"),
  ),
  entry(
    "admin settings resource-overrides list-actions",
    "List the actions that an object offers",
    () => import("./commands/admin/resource-override-list-actions.ts"),
  ),
  {
    ...entry(
      "admin settings resource-overrides run-action",
      "Show what an action would change",
      () => import("./commands/admin/resource-override-run-action.ts"),
    ),
    aliases: ["admin settings resource-overrides action"],
  },
  entry(
    "admin app generate-spec",
    "Print an Application for git",
    () => import("./commands/admin/app-generate-spec.ts"),
  ),
  entry(
    "admin proj generate-spec",
    "Print an AppProject for git",
    () => import("./commands/admin/proj-generate-spec.ts"),
  ),
  entry(
    "admin proj generate-allow-list",
    "Print a project that permits what a ClusterRole does",
    () => import("./commands/admin/proj-generate-allow-list.ts"),
  ),
  entry(
    "admin proj update-role-policy",
    "Change policies of roles in many projects",
    () => import("./commands/admin/proj-update-role-policy.ts"),
  ),
  entry(
    "admin repo generate-spec",
    "Print the Secret of a repository",
    () => import("./commands/admin/repo-generate-spec.ts"),
  ),
  entry(
    "admin notifications trigger get",
    "Print the triggers of notifications",
    () => import("./commands/admin/notifications-trigger-get.ts"),
  ),
  entry(
    "admin notifications trigger run",
    "Say whether a trigger's conditions hold for an application",
    () => import("./commands/admin/notifications-trigger-run.ts"),
  ),
  entry(
    "admin notifications template get",
    "Print the templates of notifications",
    () => import("./commands/admin/notifications-template-get.ts"),
  ),
  entry(
    "admin notifications template notify",
    "Print or send what a template says of an application",
    () => import("./commands/admin/notifications-template-notify.ts"),
  ),
  entry(
    "admin notifications catalog",
    "Print or set up triggers and templates for a beginning",
    () => import("./commands/admin/notifications-catalog.ts"),
  ),
  entry(
    "admin cluster generate-spec",
    "Print the Secret of a cluster",
    () => import("./commands/admin/cluster-generate-spec.ts"),
  ),
  entry(
    "admin cluster kubeconfig",
    "Write a kubeconfig of a cluster",
    () => import("./commands/admin/cluster-kubeconfig.ts"),
  ),
  entry(
    "admin cluster stats",
    "Say how clusters are and what is in them",
    () => import("./commands/admin/cluster-stats.ts"),
  ),
  entry(
    "admin cluster namespaces",
    "Say which namespaces are in use",
    () => import("./commands/admin/cluster-namespaces.ts"),
  ),
  entry(
    "admin cluster namespaces enable-namespaced-mode",
    "Manage clusters in the namespaces in use alone",
    () => import("./commands/admin/cluster-enable-namespaced-mode.ts"),
  ),
  entry(
    "admin cluster namespaces disable-namespaced-mode",
    "Manage clusters in all namespaces",
    () => import("./commands/admin/cluster-disable-namespaced-mode.ts"),
  ),
];

/** One that stands within another goes before it. */
export const adminGroups: readonly Group[] = [
  { name: "admin settings rbac", summary: "Who may do what" },
  {
    name: "admin settings resource-overrides",
    summary: "What settings say of kinds",
    instead: {
      "ignore-resource-updates":
        "every update of a managed object is looked at: that costs no more than comparing the object",
    },
  },
  { name: "admin settings", summary: "What is set" },
  {
    name: "admin app",
    summary: "Applications",
    instead: {
      "get-reconcile-results":
        "capstan app list -o json has what was found, and capstan app get NAME --hard-refresh finds it anew",
      "diff-reconcile-results": "compare two outputs of capstan app list -o json by diff",
    },
  },
  { name: "admin notifications trigger", summary: "When people are told" },
  { name: "admin notifications template", summary: "What they are told" },
  { name: "admin notifications", summary: "Notifications" },
  { name: "admin proj", summary: "Projects" },
  { name: "admin repo", summary: "Repositories" },
  {
    name: "admin cluster",
    summary: "Clusters",
    instead: {
      shards:
        "controllers share applications, not clusters, by Leases: kubectl get leases -n argocd -l capstan.dev/member-of",
    },
  },
  {
    name: "admin",
    summary: "Settings, backups, and what is written for git",
    instead: {
      dashboard: "capstan up has the page, and so has the server that is installed in a cluster",
      "redis-initial-password": "Capstan has no Redis",
    },
  },
];
