import type { HealthStatusCode } from "@capstan/model";
import { fieldsAt, type HealthRule, health, textOf } from "./health-rule.ts";

interface Phases {
  group: string;
  kinds: readonly string[];
  /** Below the status. */
  field: readonly string[];
  /** What is none of these is under way. */
  codes: Partial<Record<HealthStatusCode, readonly string[]>>;
}

function byPhase({ group, kinds, field, codes }: Phases): HealthRule[] {
  const codeOf = new Map<string, HealthStatusCode>();
  for (const code of ["Healthy", "Degraded", "Suspended", "Unknown", "Missing"] as const)
    for (const phase of codes[code] ?? []) codeOf.set(phase, code);
  const last = field.at(-1) ?? "";
  const path = field.slice(0, -1);
  return kinds.map((kind) => ({
    group,
    kind,
    versions: [],
    assess(live) {
      const status = fieldsAt(live, "status", ...path);
      const phase = textOf(status[last]);
      return health(
        codeOf.get(phase) ?? "Progressing",
        textOf(status.message) || phase || `Waiting for ${kind}`,
      );
    },
  }));
}

/** Kinds whose controller sums up in one word (resource_customizations of Argo CD 3.6). */
export const phaseRules: readonly HealthRule[] = [
  {
    group: "acid.zalan.do",
    kinds: ["postgresql"],
    field: ["PostgresClusterStatus"],
    codes: {
      Healthy: ["Running"],
      Degraded: ["CreateFailed", "UpdateFailed", "AddFailed", "SyncFailed", "Invalid"],
    },
  },
  {
    group: "cluster.x-k8s.io",
    kinds: ["Machine"],
    field: ["phase"],
    codes: { Healthy: ["Running"], Degraded: ["Failed"] },
  },
  {
    group: "flagger.app",
    kinds: ["Canary"],
    field: ["phase"],
    codes: { Healthy: ["Initialized", "Succeeded"], Degraded: ["Failed"] },
  },
  {
    group: "install.istio.io",
    kinds: ["IstioOperator"],
    field: ["status"],
    codes: { Healthy: ["HEALTHY"], Degraded: ["ERROR"] },
  },
  {
    group: "jaegertracing.io",
    kinds: ["Jaeger"],
    field: ["phase"],
    codes: { Healthy: ["Running"], Degraded: ["Failed"] },
  },
  {
    group: "platform.confluent.io",
    kinds: ["Connect", "ControlCenter", "Kafka", "KsqlDB", "SchemaRegistry", "Zookeeper"],
    field: ["phase"],
    codes: { Healthy: ["RUNNING"] },
  },
  {
    group: "argoproj.io",
    kinds: ["AnalysisRun"],
    field: ["phase"],
    codes: { Healthy: ["Successful"], Degraded: ["Failed", "Error"], Unknown: ["Inconclusive"] },
  },
  {
    group: "core.humio.com",
    kinds: ["HumioAction", "HumioAlert", "HumioIngestToken", "HumioParser", "HumioRepository", "HumioView"],
    field: ["state"],
    codes: { Healthy: ["Exists"], Missing: ["NotFound"], Degraded: ["ConfigError"], Unknown: ["Unknown"] },
  },
].flatMap((one: Phases) => byPhase(one));
