export type { ActingAs } from "./access/acting-account.ts";
export type { JudgedCluster, Permit, ProjectAccess } from "./access/permit.ts";
export type { PermittedSource } from "./access/permit-source.ts";
