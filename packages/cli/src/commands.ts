import type { CommandEntry, Group } from "./command.ts";

const entry = (name: string, summary: string, load: CommandEntry["load"]): CommandEntry => ({
  name,
  summary,
  load,
});

/** What every `capstan` can do. A command's file is loaded when it is called. */
export const commands: readonly CommandEntry[] = [
  entry("app list", "List applications", () => import("./commands/app/list.ts")),
  entry("app get", "Show one application", () => import("./commands/app/get.ts")),
  entry("app create", "Create an application", () => import("./commands/app/create.ts")),
  entry("app set", "Change parameters of an application", () => import("./commands/app/set.ts")),
  entry("app unset", "Remove parameters of an application", () => import("./commands/app/unset.ts")),
  entry("app edit", "Edit the specification in $EDITOR", () => import("./commands/app/edit.ts")),
  entry("app patch", "Patch an application", () => import("./commands/app/patch.ts")),
  entry("app sync", "Bring the cluster to what git says", () => import("./commands/app/sync.ts")),
  entry("app wait", "Wait until applications are as wanted", () => import("./commands/app/wait.ts")),
  entry("app diff", "Show what differs between git and cluster", () => import("./commands/app/diff.ts")),
  entry("app manifests", "Print an application's manifests", () => import("./commands/app/manifests.ts")),
  entry("app resources", "List an application's resources", () => import("./commands/app/resources.ts")),
  entry("app history", "Show deployments", () => import("./commands/app/history.ts")),
  entry("app rollback", "Go back to an earlier deployment", () => import("./commands/app/rollback.ts")),
  entry("app logs", "Print the logs of an application's Pods", () => import("./commands/app/logs.ts")),
  entry("app terminate-op", "End the running operation", () => import("./commands/app/terminate-op.ts")),
  entry("app delete", "Delete applications", () => import("./commands/app/delete.ts")),
  entry("repo add", "Add a repository", () => import("./commands/repo/add.ts")),
  entry("repo list", "List repositories", () => import("./commands/repo/list.ts")),
  entry("repo get", "Show one repository", () => import("./commands/repo/get.ts")),
  entry("repo rm", "Remove repositories", () => import("./commands/repo/rm.ts")),
  entry("proj list", "List projects", () => import("./commands/proj/list.ts")),
  entry("proj get", "Show one project", () => import("./commands/proj/get.ts")),
  entry("proj create", "Create a project", () => import("./commands/proj/create.ts")),
  entry("proj delete", "Delete projects", () => import("./commands/proj/delete.ts")),
  entry("plugin list", "List plugins", () => import("./commands/plugin/list.ts")),
  entry("plugin describe", "Show one plugin", () => import("./commands/plugin/describe.ts")),
  entry("plugin init", "Begin a plugin", () => import("./commands/plugin/init.ts")),
  entry("plugin dev", "Render again whenever something changes", () => import("./commands/plugin/dev.ts")),
  entry(
    "plugin render",
    "Print what a plugin makes of a folder",
    () => import("./commands/plugin/render.ts"),
  ),
  entry(
    "plugin test",
    "Compare what a plugin makes with what it should",
    () => import("./commands/plugin/test.ts"),
  ),
  entry(
    "admin settings report",
    "List what is set and not honoured",
    () => import("./commands/admin/settings-report.ts"),
  ),
  entry("cluster list", "List clusters", () => import("./commands/cluster/list.ts")),
  entry("account can-i", "Say whether you may do something", () => import("./commands/account/can-i.ts")),
  entry("account get-user-info", "Say who you are", () => import("./commands/account/get-user-info.ts")),
  entry("login", "Log in to a server", () => import("./commands/session/login.ts")),
  entry("logout", "Log out of a server", () => import("./commands/session/logout.ts")),
  entry("context", "Switch between servers", () => import("./commands/session/context.ts")),
  entry("version", "Print versions", () => import("./commands/tool/version.ts")),
  entry("completion", "Print a completion script for a shell", () => import("./commands/tool/completion.ts")),
];

export const groups: readonly Group[] = [
  { name: "app", summary: "Applications" },
  { name: "repo", summary: "Repositories" },
  { name: "proj", summary: "Projects" },
  { name: "plugin", summary: "Plugins: those that are there, and writing one" },
  { name: "admin", summary: "What is set" },
  { name: "cluster", summary: "Clusters" },
  { name: "account", summary: "Accounts and rights" },
];
