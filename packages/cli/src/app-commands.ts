import type { CommandEntry } from "./command.ts";
import { entry } from "./command-entry.ts";

/** Commands of applications. */
export const appCommands: readonly CommandEntry[] = [
  entry("app list", "List applications", () => import("./commands/app/list.ts")),
  entry("app get", "Show one application", () => import("./commands/app/get.ts")),
  entry("app create", "Create an application", () => import("./commands/app/create.ts")),
  entry("app set", "Change parameters of an application", () => import("./commands/app/set.ts")),
  entry("app unset", "Remove parameters of an application", () => import("./commands/app/unset.ts")),
  entry("app add-source", "Add a source", () => import("./commands/app/add-source.ts")),
  entry("app remove-source", "Remove a source", () => import("./commands/app/remove-source.ts")),
  entry("app edit", "Edit the specification in $EDITOR", () => import("./commands/app/edit.ts")),
  entry("app patch", "Patch an application", () => import("./commands/app/patch.ts")),
  entry("app sync", "Bring the cluster to what git says", () => import("./commands/app/sync.ts")),
  entry("app wait", "Wait until applications are as wanted", () => import("./commands/app/wait.ts")),
  entry("app diff", "Show what differs between git and cluster", () => import("./commands/app/diff.ts")),
  entry("app manifests", "Print an application's manifests", () => import("./commands/app/manifests.ts")),
  entry("app resources", "List an application's resources", () => import("./commands/app/resources.ts")),
  entry("app get-resource", "Show live resources", () => import("./commands/app/get-resource.ts")),
  entry("app patch-resource", "Patch a live resource", () => import("./commands/app/patch-resource.ts")),
  entry("app delete-resource", "Delete a live resource", () => import("./commands/app/delete-resource.ts")),
  entry("app actions list", "List actions of resources", () => import("./commands/app/actions-list.ts")),
  entry("app actions run", "Run an action of a resource", () => import("./commands/app/actions-run.ts")),
  entry("app confirm-deletion", "Confirm a deletion", () => import("./commands/app/confirm-deletion.ts")),
  entry("app history", "Show deployments", () => import("./commands/app/history.ts")),
  entry("app rollback", "Go back to an earlier deployment", () => import("./commands/app/rollback.ts")),
  entry("app logs", "Print the logs of an application's Pods", () => import("./commands/app/logs.ts")),
  entry("app terminate-op", "End the running operation", () => import("./commands/app/terminate-op.ts")),
  entry("app delete", "Delete applications", () => import("./commands/app/delete.ts")),
];
