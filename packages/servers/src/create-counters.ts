import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Names as Argo CD's server has them (server/metrics). */
export function createCounters(registry: Registry, version: string) {
  const registers = [registry];
  const info = new Gauge({
    name: "argocd_info",
    help: "Version of Capstan",
    labelNames: ["version"],
    registers,
  });
  info.set({ version }, 1);
  const extensions = new Counter({
    name: "argocd_proxy_extension_request_total",
    help: "Answers to requests that were passed on to extensions",
    labelNames: ["extension", "status"],
    registers,
  });
  const extensionSeconds = new Histogram({
    name: "argocd_proxy_extension_request_duration_seconds",
    help: "Time until an extension's backend began to answer",
    labelNames: ["extension"],
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10],
    registers,
  });
  return {
    logins: new Counter({
      name: "argocd_login_request_total",
      help: "Logins by outcome",
      labelNames: ["status"],
      registers,
    }),
    webhooks: new Counter({
      name: "argocd_webhook_requests_total",
      help: "Accepted webhook events by provider, and by repository where something here follows it",
      labelNames: ["provider", "repo"],
      registers,
    }),
    countExtension(extension: string, { status, seconds }: { status: number; seconds: number }): void {
      extensions.inc({ extension, status });
      extensionSeconds.observe({ extension }, seconds);
    },
  };
}
