import type { ApplicationSet } from "@capstan/model";
import { goTime } from "./app-summary.ts";
import { formatList, formatTable } from "./table.ts";

/** What a template says of where its applications come from and go to; its fields may be templates themselves. */
interface Template {
  readonly project?: string | undefined;
  readonly destination?:
    | { server?: string | undefined; name?: string | undefined; namespace?: string | undefined }
    | undefined;
  readonly source?: Source | undefined;
  readonly sources?: readonly Source[] | undefined;
  readonly syncPolicy?: { automated?: { prune?: boolean | undefined } | undefined } | undefined;
}

interface Source {
  readonly repoURL?: string | undefined;
  readonly path?: string | undefined;
  readonly chart?: string | undefined;
  readonly targetRevision?: string | undefined;
}

function templateOf({ spec }: ApplicationSet): Template {
  return spec.template.spec;
}

export function qualifiedSetName({ metadata: { name, namespace } }: ApplicationSet): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** cmd/argocd/commands/applicationset.go printApplicationSetTable; conditions that hold, by their names. */
export function setTable(sets: readonly ApplicationSet[], room?: number): string {
  const header = ["NAME", "PROJECT", "SYNCPOLICY", "CONDITIONS", "REPO", "PATH", "TARGET"];
  const rows = sets.map((set) => {
    const template = templateOf(set);
    const [source] = [template.sources ?? [], template.source ?? []].flat();
    const conditions = (set.status?.conditions ?? []).filter(({ status }) => status === "True");
    return [
      qualifiedSetName(set),
      template.project ?? "",
      set.spec.syncPolicy?.applicationsSync ?? "nil",
      conditions.map(({ type }) => type).join(",") || "<none>",
      source?.repoURL ?? "",
      source?.path ?? "",
      source?.targetRevision ?? "",
    ];
  });
  return formatList([header, ...rows], room);
}

const line = (label: string, value: string): string => `${`${label}:`.padEnd(20)}${value}\n`;

/** printAppSetSummaryTable and printAppSetConditions. */
export function setSummary(set: ApplicationSet): string {
  const template = templateOf(set);
  const sources = [template.sources ?? [], template.source ?? []].flat();
  const { automated } = template.syncPolicy ?? {};
  const conditions = set.status?.conditions ?? [];
  const rows = conditions.map((one) => [
    one.type,
    one.status ?? "",
    one.message ?? "",
    one.lastTransitionTime ? goTime(one.lastTransitionTime) : "<nil>",
  ]);
  return [
    line("Name", qualifiedSetName(set)),
    line("Project", template.project || "default"),
    line("Server", template.destination?.server || template.destination?.name || ""),
    line("Namespace", template.destination?.namespace ?? ""),
    ...(set.status?.health?.status ? [line("Health Status", set.status.health.status)] : []),
    sources.length > 1 ? "Sources:\n" : "Source:\n",
    ...sources.map(
      ({ repoURL = "", targetRevision = "", path, chart }) =>
        `${"- Repo:".padEnd(20)}${repoURL}\n${line("  Target", targetRevision)}${path ? line("  Path", path) : ""}${chart ? line("  Chart", chart) : ""}`,
    ),
    line("SyncPolicy", automated ? `Automated${automated.prune ? " (Prune)" : ""}` : "<none>"),
    ...(rows.length > 0
      ? [`\n${formatTable([["CONDITION", "STATUS", "MESSAGE", "LAST TRANSITION"], ...rows])}\n`]
      : []),
    ...rolloutTables(set),
  ].join("");
}

/** What the steps of a progressive sync select, and how far each Application is. */
function rolloutTables({ spec, status }: ApplicationSet): string[] {
  const steps = spec.strategy?.type === "RollingSync" ? (spec.strategy.rollingSync?.steps ?? []) : [];
  const selected = steps.map(({ matchExpressions = [], maxUpdate }, index) => [
    String(index + 1),
    matchExpressions
      .map(({ key, operator, values = [] }) => `${key} ${operator} (${values.join(",")})`)
      .join(", ") || "<all>",
    String(maxUpdate ?? "<all>"),
  ]);
  const states = (status?.applicationStatus ?? []).map((one) => [
    one.application,
    one.step,
    one.status,
    one.message,
    one.lastTransitionTime ? goTime(one.lastTransitionTime) : "<nil>",
  ]);
  return [
    ...(steps.length > 0 ? [`\n${formatTable([["STEP", "SELECTS", "MAXUPDATE"], ...selected])}\n`] : []),
    ...(states.length > 0
      ? [`\n${formatTable([["APPLICATION", "STEP", "STATUS", "MESSAGE", "LAST TRANSITION"], ...states])}\n`]
      : []),
  ];
}
