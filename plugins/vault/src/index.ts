export type { ReadSecret } from "./backends/backend.ts";
export { vault } from "./vault.ts";
