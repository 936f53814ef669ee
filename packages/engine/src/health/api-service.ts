import { conditionsOf, type HealthRule, health } from "./health-rule.ts";

export const apiService: HealthRule = {
  group: "apiregistration.k8s.io",
  kind: "APIService",
  versions: ["v1", "v1beta1"],
  assess(live) {
    const available = conditionsOf(live).find(({ type }) => type === "Available");
    if (available === undefined) return health("Progressing", "Waiting to be processed");
    const message = `${available.reason}: ${available.message}`;
    return health(available.status === "True" ? "Healthy" : "Progressing", message);
  },
};
