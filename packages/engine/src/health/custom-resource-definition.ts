import { conditionsOf, type HealthRule, health, type StatusCondition } from "./health-rule.ts";

export const customResourceDefinition: HealthRule = {
  group: "apiextensions.k8s.io",
  kind: "CustomResourceDefinition",
  versions: [],
  assess(live) {
    const conditions = conditionsOf(live);
    const find = (type: string): StatusCondition | undefined => conditions.find((one) => one.type === type);
    const terminating = find("Terminating");
    if (terminating?.status === "True")
      return health("Progressing", `CRD is terminating: ${terminating.message}`);
    if (live.metadata.deletionTimestamp !== undefined) return health("Progressing", "CRD is terminating");
    if (conditions.length === 0) return health("Progressing", "Status conditions not found");
    const names = find("NamesAccepted");
    if (names?.status === "False") {
      return health("Degraded", `CRD names have not been accepted: ${names.message}`);
    }
    const structural = find("NonStructuralSchema");
    if (structural?.status === "True")
      return health("Degraded", `Schema violations found: ${structural.message}`);
    const established = find("Established");
    if (established?.status === "True") return health("Healthy", "CRD is healthy");
    return established?.reason === "Installing"
      ? health("Progressing", "CRD is being installed")
      : health("Degraded", "CRD is not established");
  },
};
