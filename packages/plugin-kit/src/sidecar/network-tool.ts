import type { ConfigManagementPlugin } from "@capstan/model";

/** Programs, with their verbs, whose work is to fetch. */
const tools = [
  "helm (?:dependency|dep|pull|fetch|repo|registry)",
  "helmfile",
  "argocd-vault-plugin",
  "vals",
  "curl",
  "wget",
  "git (?:clone|fetch|pull|ls-remote|submodule)",
  "(?:npm|pnpm|yarn) (?:ci|install|add)",
  "pip3? install",
  "go (?:get|run|mod|install|build)",
  "jb install",
  "vendir",
  "kustomize build .*--enable-helm",
  "(?:terraform|tofu|terragrunt) init",
  "(?:aws|gcloud|az|vault|bao|op|kubectl|oras|crane|skopeo)",
];
const mention = new RegExp(`(?<![\\w.-])(?:${tools.join("|")})(?![\\w-])`);

/** A program for fetching that the commands of a plugin name: this is how a plugin.yaml of Argo CD asks for the network. */
export function networkTool({ spec }: ConfigManagementPlugin): string | undefined {
  const commands = [spec.init, spec.generate, spec.transform, spec.discover?.find, spec.parameters?.dynamic];
  for (const one of commands) {
    const words = [...(one?.command ?? []), ...(one?.args ?? [])];
    const text = words.map((word, at) => (at === 0 ? (word.split("/").at(-1) ?? "") : word)).join(" ");
    const found = mention.exec(text)?.[0];
    if (found !== undefined) return found;
  }
  return undefined;
}
