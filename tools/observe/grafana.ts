import type { Dashboard, Panel } from "./dashboards.ts";

const source = { type: "prometheus", uid: "${datasource}" };
const [width, height] = [8, 8];

/** As Grafana 10 and later import it (schema 39): three panels side by side below each row's title. */
export function grafanaOf({ uid, title, rows }: Dashboard): object {
  const panels: object[] = [];
  let y = 0;
  for (const [name, own] of Object.entries(rows)) {
    panels.push({
      type: "row",
      title: name,
      collapsed: false,
      gridPos: { x: 0, y, w: 24, h: 1 },
      panels: [],
    });
    y += 1;
    own.forEach((panel, index) => {
      const gridPos = { x: (index % 3) * width, y: y + Math.floor(index / 3) * height, w: width, h: height };
      panels.push(panelOf(panel, gridPos));
    });
    y += Math.ceil(own.length / 3) * height;
  }
  return {
    uid,
    title,
    tags: ["capstan"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-3h", to: "now" },
    templating: { list: variables },
    panels: panels.map((panel, index) => ({ id: index + 1, ...panel })),
  };
}

const query = (name: string, label: string, asked: string) => ({
  name,
  label,
  type: "query",
  datasource: source,
  query: { query: asked, refId: name },
  definition: asked,
  includeAll: true,
  allValue: ".*",
  multi: true,
  refresh: 2,
  current: { text: "All", value: "$__all" },
});

const variables = [
  { name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus" },
  query("job", "Job", "label_values(workqueue_adds_total, job)"),
  query("project", "Project", "label_values(argocd_app_info, project)"),
];

function panelOf({ title, kind = "timeseries", unit = "short", asks }: Panel, gridPos: object): object {
  const isTable = kind === "table";
  return {
    type: kind,
    title,
    datasource: source,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: kind === "timeseries" ? { legend: { displayMode: "list", placement: "bottom" } } : {},
    ...(isTable
      ? { transformations: [{ id: "organize", options: { excludeByName: { Time: true, Value: true } } }] }
      : {}),
    targets: Object.entries(asks).map(([legendFormat, expr], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: source,
      expr,
      ...(isTable ? { format: "table", instant: true } : { legendFormat }),
    })),
  };
}
