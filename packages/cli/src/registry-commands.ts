import type { CommandEntry } from "./command.ts";
import { entry } from "./command-entry.ts";

/** Commands of what applications come from and go to. */
export const registryCommands: readonly CommandEntry[] = [
  entry("repo add", "Add a repository", () => import("./commands/repo/add.ts")),
  entry("repo list", "List repositories", () => import("./commands/repo/list.ts")),
  entry("repo get", "Show one repository", () => import("./commands/repo/get.ts")),
  entry("repo rm", "Remove repositories", () => import("./commands/repo/rm.ts")),
  entry("repocreds add", "Add credentials", () => import("./commands/repocreds/add.ts")),
  entry("repocreds list", "List credentials", () => import("./commands/repocreds/list.ts")),
  entry("repocreds rm", "Remove credentials", () => import("./commands/repocreds/rm.ts")),
  entry("cert add-tls", "Add certificates of a server", () => import("./commands/cert/add-tls.ts")),
  entry("cert add-ssh", "Add SSH keys of servers", () => import("./commands/cert/add-ssh.ts")),
  entry("cert list", "List certificates and SSH keys", () => import("./commands/cert/list.ts")),
  entry("cert rm", "Remove certificates and SSH keys", () => import("./commands/cert/rm.ts")),
  entry("gpg add", "Add GnuPG keys", () => import("./commands/gpg/add.ts")),
  entry("gpg list", "List GnuPG keys", () => import("./commands/gpg/list.ts")),
  entry("gpg get", "Show a GnuPG key", () => import("./commands/gpg/get.ts")),
  entry("gpg rm", "Remove a GnuPG key", () => import("./commands/gpg/rm.ts")),
  entry("cluster add", "Add a cluster", () => import("./commands/cluster/add.ts")),
  entry("cluster get", "Show clusters", () => import("./commands/cluster/get.ts")),
  entry("cluster set", "Change a cluster", () => import("./commands/cluster/set.ts")),
  entry("cluster rm", "Forget clusters", () => import("./commands/cluster/rm.ts")),
  entry("cluster rotate-auth", "Renew a token", () => import("./commands/cluster/rotate-auth.ts")),
  entry("cluster list", "List clusters", () => import("./commands/cluster/list.ts")),
];
