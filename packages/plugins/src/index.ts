export { prepareTools, type ToolName, toolPath } from "./binaries/tool-path.ts";
export { directory } from "./directory/directory.ts";
export { helm } from "./helm/helm.ts";
export { kustomize } from "./kustomize/kustomize.ts";
export { sops } from "./sops/sops.ts";
export { vault } from "./vault/vault.ts";
