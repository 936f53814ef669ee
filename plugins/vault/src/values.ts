/** What argocd-vault-plugin does, outside of a render. */
export { fillPlaceholders } from "./fill-placeholders.ts";
