import type { RenderMetrics } from "@capstan/render";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** What rendering did, for /metrics. */
export function renderMetrics(registry: Registry): RenderMetrics {
  const registers = [registry];
  const renders = new Counter({
    name: "capstan_renders_total",
    help: "Renders that ran, by plugin.",
    labelNames: ["plugin"],
    registers,
  });
  const failures = new Counter({
    name: "capstan_render_failures_total",
    help: "Renders that failed, by plugin.",
    labelNames: ["plugin"],
    registers,
  });
  const answers = new Counter({
    name: "capstan_render_answers_total",
    help: "Answers from the cache (hit) and from a run (miss).",
    labelNames: ["from"],
    registers,
  });
  const seconds = new Histogram({
    name: "capstan_render_seconds",
    help: "Time of a render that ran.",
    labelNames: ["plugin"],
    buckets: [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers,
  });
  const queued = new Gauge({
    name: "capstan_render_queue",
    help: "Renders that wait and that run.",
    labelNames: ["state"],
    registers,
  });
  const sent = new Counter({
    name: "capstan_plugin_sent_bytes_total",
    help: "Content sent to plugins that run elsewhere, by plugin.",
    labelNames: ["plugin"],
    registers,
  });
  const git = gitMetrics(registers);
  return {
    git,
    oci: ociMetrics(registers),
    pending: pendingMetric(registers),
    queue: ({ waiting, running }) => {
      queued.set({ state: "waiting" }, waiting);
      queued.set({ state: "running" }, running);
    },
    answered: (from) => answers.inc({ from }),
    rendered: (plugin, ms) => {
      renders.inc({ plugin });
      seconds.observe({ plugin }, ms / 1000);
    },
    failed: (plugin) => failures.inc({ plugin }),
    sent: (plugin, bytes) => sent.inc({ plugin }, bytes),
  };
}

/** Whoever may ask names repositories: of what is not asked for now nothing is kept. */
function pendingMetric(registers: Registry[]): RenderMetrics["pending"] {
  const requests = new Map<string, number>();
  const gauge = new Gauge({
    name: "argocd_repo_pending_request_total",
    help: "Number of pending requests requiring repository lock",
    labelNames: ["repo"],
    registers,
  });
  return (repo, by) => {
    const now = (requests.get(repo) ?? 0) + by;
    if (now > 0) {
      requests.set(repo, now);
      gauge.set({ repo }, now);
    } else {
      requests.delete(repo);
      gauge.remove({ repo });
    }
  };
}

/** Names and labels of Argo CD's repo server (reposerver/metrics/metrics.go). */
function gitMetrics(registers: Registry[]): RenderMetrics["git"] {
  const of = ["repo", "request_type"] as const;
  const requests = new Counter({
    name: "argocd_git_request_total",
    help: "Number of git requests performed by repo server",
    labelNames: of,
    registers,
  });
  const seconds = new Histogram({
    name: "argocd_git_request_duration_seconds",
    help: "Git requests duration seconds.",
    labelNames: of,
    buckets: [0.1, 0.25, 0.5, 1, 2, 4, 10, 20],
    registers,
  });
  const failures = {
    "ls-remote": new Counter({
      name: "argocd_git_lsremote_fail_total",
      help: "Number of git ls-remote requests failures by repo server",
      labelNames: ["repo", "revision"],
      registers,
    }),
    fetch: new Counter({
      name: "argocd_git_fetch_fail_total",
      help: "Number of git fetch requests failures by repo server",
      labelNames: ["repo", "revision"],
      registers,
    }),
  };
  return ({ repo, request, ms, ok }) => {
    requests.inc({ repo, request_type: request });
    seconds.observe({ repo, request_type: request }, ms / 1000);
    if (!ok) failures[request].inc({ repo, revision: "" });
  };
}

/** The same of registries; what failed is told by what was asked. */
function ociMetrics(registers: Registry[]): RenderMetrics["oci"] {
  const of = ["repo", "request_type"] as const;
  const requests = new Counter({
    name: "argocd_oci_request_total",
    help: "Number of OCI requests performed by repo server",
    labelNames: of,
    registers,
  });
  const seconds = new Histogram({
    name: "argocd_oci_request_duration_seconds",
    help: "OCI requests duration seconds.",
    labelNames: of,
    buckets: [0.1, 0.25, 0.5, 1, 2, 4, 10, 20],
    registers,
  });
  const failed = (what: string, labelNames: readonly string[]) =>
    new Counter({
      name: `argocd_oci_${what}_fail_total`,
      help: `Number of OCI requests that failed: ${what.replaceAll("_", " ")}`,
      labelNames,
      registers,
    });
  const ofRevision = ["repo", "revision"];
  const failures = {
    "resolve-revision": failed("resolve_revision", ofRevision),
    extract: failed("extract", ofRevision),
    "digest-metadata": failed("digest_metadata", ofRevision),
    "get-tags": failed("get_tags", ["repo"]),
    "test-repo": failed("test_repo", ["repo"]),
  };
  return ({ repo, request, ms, ok }) => {
    requests.inc({ repo, request_type: request });
    seconds.observe({ repo, request_type: request }, ms / 1000);
    // Whoever may ask names revisions: of them nothing is kept.
    const hasRevision = request !== "get-tags" && request !== "test-repo";
    if (!ok) failures[request].inc({ repo, ...(hasRevision ? { revision: "" } : {}) });
  };
}
