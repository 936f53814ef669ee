import type { Manifest } from "@capstan/model";
import { type HealthRule, health, listAt } from "./health-rule.ts";

const assess = (live: Manifest) =>
  health(listAt(live, "status", "loadBalancer", "ingress").length > 0 ? "Healthy" : "Progressing");

export const ingress: HealthRule = { group: "networking.k8s.io", kind: "Ingress", versions: [], assess };

export const oldIngress: HealthRule = { group: "extensions", kind: "Ingress", versions: [], assess };
