import type { CommandEntry } from "./command.ts";
import { entry } from "./command-entry.ts";

/** Commands of projects. */
export const projCommands: readonly CommandEntry[] = [
  entry("proj list", "List projects", () => import("./commands/proj/list.ts")),
  entry("proj get", "Show one project", () => import("./commands/proj/get.ts")),
  entry("proj create", "Create a project", () => import("./commands/proj/create.ts")),
  entry("proj delete", "Delete projects", () => import("./commands/proj/delete.ts")),
  entry("proj set", "Change parameters of a project", () => import("./commands/proj/set.ts")),
  entry("proj edit", "Edit the specification in $EDITOR", () => import("./commands/proj/edit.ts")),
  entry("proj add-source", "Permit a repository", () => import("./commands/proj/add-source.ts")),
  entry(
    "proj remove-source",
    "Permit a repository no more",
    () => import("./commands/proj/remove-source.ts"),
  ),
  entry("proj add-destination", "Permit a destination", () => import("./commands/proj/add-destination.ts")),
  entry(
    "proj remove-destination",
    "Permit a destination no more",
    () => import("./commands/proj/remove-destination.ts"),
  ),
  entry(
    "proj add-source-namespace",
    "Permit a namespace of applications",
    () => import("./commands/proj/add-source-namespace.ts"),
  ),
  entry(
    "proj remove-source-namespace",
    "Permit a namespace of applications no more",
    () => import("./commands/proj/remove-source-namespace.ts"),
  ),
  entry(
    "proj allow-cluster-resource",
    "Permit a kind without namespace",
    () => import("./commands/proj/allow-cluster-resource.ts"),
  ),
  entry(
    "proj deny-cluster-resource",
    "Refuse a kind without namespace",
    () => import("./commands/proj/deny-cluster-resource.ts"),
  ),
  entry(
    "proj allow-namespace-resource",
    "Permit a kind in namespaces",
    () => import("./commands/proj/allow-namespace-resource.ts"),
  ),
  entry(
    "proj deny-namespace-resource",
    "Refuse a kind in namespaces",
    () => import("./commands/proj/deny-namespace-resource.ts"),
  ),
  entry(
    "proj add-orphaned-ignore",
    "Ignore orphans of a kind",
    () => import("./commands/proj/add-orphaned-ignore.ts"),
  ),
  entry(
    "proj remove-orphaned-ignore",
    "Ignore orphans of a kind no more",
    () => import("./commands/proj/remove-orphaned-ignore.ts"),
  ),
  entry(
    "proj add-signature-key",
    "Demand signatures by a key",
    () => import("./commands/proj/add-signature-key.ts"),
  ),
  entry(
    "proj remove-signature-key",
    "Demand signatures by a key no more",
    () => import("./commands/proj/remove-signature-key.ts"),
  ),
  entry(
    "proj add-destination-service-account",
    "Say as whom is synced",
    () => import("./commands/proj/add-destination-service-account.ts"),
  ),
  entry(
    "proj remove-destination-service-account",
    "Say no more as whom is synced",
    () => import("./commands/proj/remove-destination-service-account.ts"),
  ),
  entry("proj role create", "Create a role", () => import("./commands/proj/role-create.ts")),
  entry("proj role delete", "Delete a role", () => import("./commands/proj/role-delete.ts")),
  entry("proj role list", "List roles", () => import("./commands/proj/role-list.ts")),
  entry("proj role get", "Show one role", () => import("./commands/proj/role-get.ts")),
  entry("proj role add-policy", "Add to a role's policy", () => import("./commands/proj/role-add-policy.ts")),
  entry(
    "proj role remove-policy",
    "Remove from a role's policy",
    () => import("./commands/proj/role-remove-policy.ts"),
  ),
  entry("proj role add-group", "Give a role to a group", () => import("./commands/proj/role-add-group.ts")),
  entry(
    "proj role remove-group",
    "Take a role from a group",
    () => import("./commands/proj/role-remove-group.ts"),
  ),
  entry(
    "proj source-integrity git policies list",
    "List the policies of git repositories",
    () => import("./commands/proj/git-policies-list.ts"),
  ),
  entry(
    "proj source-integrity git policies add",
    "Add a policy of git repositories",
    () => import("./commands/proj/git-policies-add.ts"),
  ),
  entry(
    "proj source-integrity git policies update",
    "Change a policy of git repositories",
    () => import("./commands/proj/git-policies-update.ts"),
  ),
  entry(
    "proj source-integrity git policies delete",
    "Delete policies of git repositories",
    () => import("./commands/proj/git-policies-delete.ts"),
  ),
  entry("proj windows add", "Add a sync window", () => import("./commands/proj/windows-add.ts")),
  entry("proj windows update", "Change a sync window", () => import("./commands/proj/windows-update.ts")),
  entry("proj windows delete", "Delete a sync window", () => import("./commands/proj/windows-delete.ts")),
  entry("proj windows list", "List sync windows", () => import("./commands/proj/windows-list.ts")),
  entry(
    "proj windows enable-manual-sync",
    "Permit syncs by hand",
    () => import("./commands/proj/windows-enable-manual-sync.ts"),
  ),
  entry(
    "proj windows disable-manual-sync",
    "Forbid syncs by hand",
    () => import("./commands/proj/windows-disable-manual-sync.ts"),
  ),
  entry(
    "proj windows enable-sync-overrun",
    "Let syncs go on",
    () => import("./commands/proj/windows-enable-sync-overrun.ts"),
  ),
  entry(
    "proj windows disable-sync-overrun",
    "Do not let syncs go on",
    () => import("./commands/proj/windows-disable-sync-overrun.ts"),
  ),
  {
    name: "proj role create-token",
    summary: "Make a token of a role",
    aliases: ["proj role token-create"],
    load: () => import("./commands/proj/role-create-token.ts"),
  },
  {
    name: "proj role list-tokens",
    summary: "List tokens of a role",
    aliases: ["proj role list-token", "proj role token-list"],
    load: () => import("./commands/proj/role-list-tokens.ts"),
  },
  {
    name: "proj role delete-token",
    summary: "Delete a token of a role",
    aliases: ["proj role token-delete", "proj role remove-token"],
    load: () => import("./commands/proj/role-delete-token.ts"),
  },
];
