import { Counter, type Registry } from "prom-client";

export interface NotificationMetrics {
  evaluated(trigger: string, holds: boolean): void;
  delivered(trigger: string, service: string, succeeded: boolean): void;
}

/** Names come from tenants too: of so many different ones each is counted by itself, the rest together. */
const mostNames = 1_000;

/** Names and labels of notifications-engine (pkg/controller/metrics.go), so that its dashboards work. */
export function createNotificationMetrics(registry: Registry): NotificationMetrics {
  const registers = [registry];
  const deliveries = new Counter({
    name: "argocd_notifications_deliveries_total",
    help: "Number of delivered notifications.",
    labelNames: ["trigger", "service", "succeeded"],
    registers,
  });
  const evaluations = new Counter({
    name: "argocd_notifications_trigger_eval_total",
    help: "Number of trigger evaluations.",
    labelNames: ["name", "triggered"],
    registers,
  });
  const names = new Set<string>();
  const counted = (name: string): string => {
    if (names.size < mostNames) names.add(name);
    return names.has(name) ? name : "other";
  };
  return {
    evaluated: (trigger, holds) => evaluations.inc({ name: counted(trigger), triggered: String(holds) }),
    delivered: (trigger, service, succeeded) =>
      deliveries.inc({ trigger: counted(trigger), service: counted(service), succeeded: String(succeeded) }),
  };
}
