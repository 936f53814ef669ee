export { prepareTools, type ToolName, toolPath } from "./binaries/tool-path.ts";
export { directory } from "./directory/directory.ts";
export { helm } from "./helm/helm.ts";
export { kustomize } from "./kustomize/kustomize.ts";
export { sops } from "./sops/sops.ts";
export { TokenCache as VaultTokens } from "./vault/backends/vault-login.ts";
export { Settings as VaultSettings } from "./vault/settings.ts";
export { fillPlaceholders, vault } from "./vault/vault.ts";
