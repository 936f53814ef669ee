export type { JudgedCluster, Permit, ProjectAccess } from "./access/permit.ts";
