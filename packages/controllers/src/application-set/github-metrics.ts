import type { HostCall } from "@capstan/git-hosts";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Whoever writes sets names repositories: what is asked beyond so many addresses is counted together. */
const mostEndpoints = 1_000;

const limits = [
  ["limit", "x-ratelimit-limit", "The maximum number of requests that you can make per hour"],
  ["remaining", "x-ratelimit-remaining", "The number of requests remaining in the current rate limit window"],
  ["used", "x-ratelimit-used", "The number of requests used in the current rate limit window"],
] as const;

/**
 * What ApplicationSets ask GitHub, by Argo CD's names and labels (applicationset/services/github_metrics.go). A request
 * that several sets wait for is counted for the one that asked.
 */
export function createGithubMetrics(
  registry: Registry,
  { isOn, now }: { isOn: () => boolean; now: () => number },
): (call: HostCall) => void {
  const registers = [registry];
  const bySet = ["appset_namespace", "appset_name"] as const;
  const requests = new Counter({
    name: "argocd_github_api_requests_total",
    help: "Total number of GitHub API requests",
    labelNames: ["method", "endpoint", "status", ...bySet],
    registers,
  });
  const seconds = new Histogram({
    name: "argocd_github_api_request_duration_seconds",
    help: "GitHub API request duration in seconds",
    labelNames: ["method", "endpoint", ...bySet],
    registers,
  });
  const gauge = (name: string, help: string) =>
    new Gauge({
      name: `argocd_github_api_rate_limit_${name}`,
      help,
      labelNames: ["endpoint", ...bySet, "resource"],
      registers,
    });
  const gauges = limits.map(([name, header, help]) => ({ header, told: gauge(name, help) }));
  const reset = gauge("reset_seconds", "The time left till the current rate limit window resets, in seconds");
  const known = new Set<string>();
  const endpointOf = (url: string): string => {
    const { pathname } = new URL(url);
    if (known.size < mostEndpoints) known.add(pathname);
    return known.has(pathname) ? pathname : "other";
  };
  return ({ site, asker, method, url, status, headers, ms }) => {
    if (site.name !== "GitHub" || !isOn()) return;
    const endpoint = endpointOf(url);
    const set = {
      appset_namespace: asker?.namespace ?? "unknown",
      appset_name: asker?.name ?? "unknown",
    };
    requests.inc({ method, endpoint, status: String(status), ...set });
    seconds.observe({ method, endpoint, ...set }, ms / 1000);
    const of = { endpoint, ...set, resource: String(headers["x-ratelimit-resource"] ?? "") };
    for (const { header, told } of gauges) {
      const value = countIn(headers[header]);
      if (value !== undefined) told.set(of, value);
    }
    const at = countIn(headers["x-ratelimit-reset"]);
    if (at !== undefined) reset.set(of, at - Math.floor(now() / 1000));
  };
}

function countIn(header: string | readonly string[] | undefined): number | undefined {
  return typeof header === "string" && /^\d{1,12}$/.test(header) ? Number(header) : undefined;
}
