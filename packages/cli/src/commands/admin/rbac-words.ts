import { accessActions, accessResources } from "@capstan/engine";

/** Other words for the kinds (cmd/argocd/commands/admin/settings_rbac.go resourceMap). */
const spellings: Readonly<Record<string, string>> = {
  account: "accounts",
  app: "applications",
  apps: "applications",
  application: "applications",
  cert: "certificates",
  certs: "certificates",
  certificate: "certificates",
  cluster: "clusters",
  extension: "extensions",
  gpgkey: "gpgkeys",
  key: "gpgkeys",
  log: "logs",
  proj: "projects",
  projs: "projects",
  project: "projects",
  repo: "repositories",
  repos: "repositories",
  repository: "repositories",
};

const all: readonly string[] = ["create", "get", "update", "delete"];

/** validRBACResourcesActions; beside its words accounts' get, write-repositories, and an application's rollback. */
const actionsOf: Readonly<Record<string, readonly string[]>> = {
  accounts: ["create", "get", "update"],
  applications: accessActions.filter((action) => action !== "invoke"),
  certificates: ["create", "get", "delete"],
  gpgkeys: ["create", "get", "delete"],
  extensions: ["invoke"],
  logs: ["get"],
  exec: ["create"],
  settings: ["update"],
};

const withPath: readonly string[] = ["update", "delete", "action"];

export function resourceOf(word: string): string {
  return spellings[word] ?? word;
}

/** What is wrong with a question, in argocd's words. */
export function questionProblem(resource: string, action: string): string | undefined {
  if (!accessResources.includes(resource)) return `'${resource}' is not a valid resource name`;
  const [word = "", ...path] = action.split("/");
  const isKnown = (actionsOf[resource] ?? all).includes(word);
  const mayGoOn = resource === "applications" && withPath.includes(word);
  if (isKnown && (path.length === 0 || mayGoOn)) return undefined;
  return `'${action}' is not a valid action for ${resource}`;
}
