import { adminCommands, adminGroups } from "./admin-commands.ts";
import { appCommands } from "./app-commands.ts";
import type { CommandEntry, Group } from "./command.ts";
import { entry } from "./command-entry.ts";
import { projCommands } from "./proj-commands.ts";
import { registryCommands } from "./registry-commands.ts";

/** What every `capstan` can do. */
export const commands: readonly CommandEntry[] = [
  ...appCommands,
  ...projCommands,
  ...registryCommands,
  ...adminCommands,
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
  entry("plugin serve", "Serve a plugin's folder", () => import("./commands/plugin/serve.ts")),
  entry("plugin build", "Make a folder that Node alone runs", () => import("./commands/plugin/build.ts")),
  entry("account list", "List accounts", () => import("./commands/account/list.ts")),
  entry("account get", "Show one account", () => import("./commands/account/get.ts")),
  entry("account generate-token", "Make a token", () => import("./commands/account/generate-token.ts")),
  entry("account delete-token", "Delete a token", () => import("./commands/account/delete-token.ts")),
  entry(
    "account update-password",
    "Change a password",
    () => import("./commands/account/update-password.ts"),
  ),
  entry("account bcrypt", "Hash a password", () => import("./commands/account/bcrypt.ts")),
  entry(
    "account session-token",
    "Print the token of the session",
    () => import("./commands/account/session-token.ts"),
  ),
  entry("account can-i", "Say whether you may do something", () => import("./commands/account/can-i.ts")),
  {
    name: "account get-user-info",
    summary: "Say who you are",
    aliases: ["account whoami"],
    load: () => import("./commands/account/get-user-info.ts"),
  },
  entry("login", "Log in to a server", () => import("./commands/session/login.ts")),
  entry("logout", "Log out of a server", () => import("./commands/session/logout.ts")),
  entry("relogin", "Log in again", () => import("./commands/session/relogin.ts")),
  entry("configure", "Change the configuration", () => import("./commands/session/configure.ts")),
  {
    name: "context",
    summary: "Switch between servers",
    aliases: ["ctx"],
    load: () => import("./commands/session/context.ts"),
  },
  entry("version", "Print versions", () => import("./commands/tool/version.ts")),
  entry("completion", "Print a completion script for a shell", () => import("./commands/tool/completion.ts")),
];

/** One that stands within another goes before it. */
export const groups: readonly Group[] = [
  { name: "app actions", summary: "Actions that resources offer" },
  { name: "proj role", summary: "Roles of a project" },
  { name: "proj windows", summary: "Times in which a project's applications may be synced" },
  {
    name: "proj source-integrity git policies",
    summary: "Who has to have signed what a project takes from git",
  },
  { name: "proj source-integrity git", summary: "Of git repositories" },
  { name: "proj source-integrity", summary: "What a project's sources have to prove" },
  { name: "app", summary: "Applications" },
  { name: "appset", summary: "Sets of applications" },
  { name: "images", summary: "New versions of applications' images" },
  { name: "repo", summary: "Repositories" },
  { name: "repocreds", summary: "Credentials for many repositories" },
  { name: "cert", summary: "Certificates and SSH keys of repositories' servers" },
  { name: "gpg", summary: "GnuPG keys that commits may be signed with" },
  { name: "proj", summary: "Projects" },
  { name: "plugin", summary: "Plugins: those that are there, and writing one" },
  ...adminGroups,
  { name: "cluster", summary: "Clusters" },
  { name: "account", summary: "Accounts and rights" },
];
