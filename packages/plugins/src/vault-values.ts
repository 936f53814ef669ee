/** What argocd-vault-plugin does, outside of a render. */
export { TokenCache as VaultTokens } from "./vault/backends/token-cache.ts";
export { fillPlaceholders } from "./vault/fill-placeholders.ts";
export { Settings as VaultSettings } from "./vault/settings.ts";
