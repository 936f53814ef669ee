/** A graph, a number or a table of a dashboard: PromQL, and how its answer is shown. */
export interface Panel {
  readonly title: string;
  readonly kind?: "timeseries" | "stat" | "table";
  /** Of Grafana: short, s, bytes, percentunit, reqps … Default: short. */
  readonly unit?: string;
  /** Legend (labels in double braces) → PromQL. */
  readonly asks: Readonly<Record<string, string>>;
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly rows: Readonly<Record<string, readonly Panel[]>>;
}

const rate = (metric: string, by: string): string =>
  `sum by (${by}) (rate(${metric}{job=~"$job"}[$__rate_interval]))`;
const increase = (metric: string, by: string): string =>
  `sum by (${by}) (increase(${metric}{job=~"$job"}[$__rate_interval]))`;
const quantile = (share: number, histogram: string, by = ""): string =>
  `histogram_quantile(${share}, ${rate(`${histogram}_bucket`, by === "" ? "le" : `le, ${by}`)})`;
const applications = `argocd_app_info{job=~"$job", project=~"$project"}`;

const applicationPanels: Dashboard = {
  uid: "capstan-applications",
  title: "Capstan: applications",
  rows: {
    "Is anything wrong?": [
      { title: "Applications", kind: "stat", asks: { all: `sum(${applications})` } },
      { title: "By health", asks: { "{{health_status}}": `sum by (health_status) (${applications})` } },
      { title: "By sync status", asks: { "{{sync_status}}": `sum by (sync_status) (${applications})` } },
      {
        title: "Neither healthy nor on the way",
        kind: "table",
        asks: {
          "": `sum by (project, name, health_status, sync_status) (argocd_app_info{job=~"$job", project=~"$project", health_status!~"Healthy|Progressing|Suspended"})`,
        },
      },
      {
        title: "Orphaned objects",
        asks: {
          "{{name}}": `topk(10, sum by (name) (argocd_app_orphaned_resources_count{job=~"$job", project=~"$project"}))`,
        },
      },
    ],
    "What happens": [
      {
        title: "Operations by outcome",
        asks: { "{{phase}}": increase("argocd_app_sync_total", "phase") },
      },
      {
        title: "Longest operations",
        unit: "s",
        asks: {
          "{{name}}": `topk(10, ${increase("argocd_app_sync_duration_seconds_total", "name")})`,
        },
      },
      {
        title: "A reconcile",
        unit: "s",
        asks: { p50: quantile(0.5, "argocd_app_reconcile"), p95: quantile(0.95, "argocd_app_reconcile") },
      },
      {
        title: "Changes asked of clusters",
        unit: "reqps",
        asks: { "{{verb}} {{resource_kind}}": rate("argocd_app_k8s_request_total", "verb, resource_kind") },
      },
    ],
    Clusters: [
      {
        title: "Connected",
        asks: {
          "{{server}}": `min by (server) (argocd_cluster_connection_status{job=~"$job"})`,
        },
      },
      {
        title: "Objects kept in memory",
        asks: { "{{server}}": `sum by (server) (argocd_cluster_api_resource_objects{job=~"$job"})` },
      },
      {
        title: "Events by kind",
        unit: "reqps",
        asks: { "{{kind}}": `topk(10, ${rate("argocd_cluster_events_total", "kind")})` },
      },
    ],
  },
};

const renderingPanels: Dashboard = {
  uid: "capstan-rendering",
  title: "Capstan: rendering",
  rows: {
    Renders: [
      {
        title: "Answered without a run",
        unit: "percentunit",
        asks: {
          hits: `sum(rate(capstan_render_answers_total{job=~"$job", from="hit"}[$__rate_interval])) / sum(rate(capstan_render_answers_total{job=~"$job"}[$__rate_interval]))`,
        },
      },
      {
        title: "Runs by plugin",
        unit: "reqps",
        asks: { "{{plugin}}": rate("capstan_renders_total", "plugin") },
      },
      {
        title: "A run, p95",
        unit: "s",
        asks: { "{{plugin}}": quantile(0.95, "capstan_render_seconds", "plugin") },
      },
      { title: "Failures", asks: { "{{plugin}}": increase("capstan_render_failures_total", "plugin") } },
      { title: "Queue", asks: { "{{state}}": `sum by (state) (capstan_render_queue{job=~"$job"})` } },
      {
        title: "Sent to plugins elsewhere",
        unit: "Bps",
        asks: { "{{plugin}}": rate("capstan_plugin_sent_bytes_total", "plugin") },
      },
    ],
    Git: [
      {
        title: "Requests",
        unit: "reqps",
        asks: { "{{request_type}}": rate("argocd_git_request_total", "request_type") },
      },
      {
        title: "A request, p95",
        unit: "s",
        asks: { "{{request_type}}": quantile(0.95, "argocd_git_request_duration_seconds", "request_type") },
      },
      {
        title: "Failures by repository",
        asks: {
          "ls-remote {{repo}}": increase("argocd_git_lsremote_fail_total", "repo"),
          "fetch {{repo}}": increase("argocd_git_fetch_fail_total", "repo"),
        },
      },
    ],
  },
};

const processPanels: Dashboard = {
  uid: "capstan-processes",
  title: "Capstan: processes",
  rows: {
    "What it costs": [
      {
        title: "CPU",
        unit: "percentunit",
        asks: { "{{instance}}": rate("process_cpu_seconds_total", "instance") },
      },
      {
        title: "Memory",
        unit: "bytes",
        asks: { "{{instance}}": `sum by (instance) (process_resident_memory_bytes{job=~"$job"})` },
      },
      {
        title: "Event loop, p99 lag",
        unit: "s",
        asks: { "{{instance}}": `max by (instance) (nodejs_eventloop_lag_p99_seconds{job=~"$job"})` },
      },
      {
        title: "Open files",
        asks: { "{{instance}}": `sum by (instance) (process_open_fds{job=~"$job"})` },
      },
    ],
    Queues: [
      { title: "Waiting", asks: { "{{name}}": `sum by (name) (workqueue_depth{job=~"$job"})` } },
      { title: "Running", asks: { "{{name}}": `sum by (name) (workqueue_running{job=~"$job"})` } },
      {
        title: "Waited, p95",
        unit: "s",
        asks: { "{{name}}": quantile(0.95, "workqueue_queue_duration_seconds", "name") },
      },
      {
        title: "Worked, p95",
        unit: "s",
        asks: { "{{name}}": quantile(0.95, "workqueue_work_duration_seconds", "name") },
      },
    ],
    "From outside": [
      { title: "Logins", asks: { "{{status}}": increase("argocd_login_request_total", "status") } },
      { title: "Webhooks", asks: { "{{provider}}": increase("argocd_webhook_requests_total", "provider") } },
      {
        title: "Requests to extensions",
        unit: "reqps",
        asks: {
          "{{extension}} {{status}}": rate("argocd_proxy_extension_request_total", "extension, status"),
        },
      },
      {
        title: "Notifications",
        asks: {
          "{{service}} {{succeeded}}": increase(
            "argocd_notifications_deliveries_total",
            "service, succeeded",
          ),
        },
      },
      {
        title: "Images",
        asks: {
          updated: `sum(increase(argocd_image_updater_images_updated_total{job=~"$job"}[$__rate_interval]))`,
          failed: `sum(increase(argocd_image_updater_images_errors_total{job=~"$job"}[$__rate_interval]))`,
        },
      },
      {
        title: "Applications of sets",
        asks: { "{{name}}": `topk(10, sum by (name) (argocd_appset_owned_applications{job=~"$job"}))` },
      },
    ],
  },
};

/** What stands in deploy/observe/dashboards. */
export const dashboards: readonly Dashboard[] = [applicationPanels, renderingPanels, processPanels];
