import { fieldsAt, type HealthRule, health, listAt } from "./health-rule.ts";

export const service: HealthRule = {
  group: "",
  kind: "Service",
  versions: ["v1"],
  assess(live) {
    const needsAddress = fieldsAt(live, "spec").type === "LoadBalancer";
    const hasAddress = listAt(live, "status", "loadBalancer", "ingress").length > 0;
    return health(needsAddress && !hasAddress ? "Progressing" : "Healthy");
  },
};
