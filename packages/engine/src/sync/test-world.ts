import {
  type Application,
  defaultRemovalBudget,
  type HealthStatusCode,
  keyOf,
  keyText,
  type Manifest,
  type RemovalBudget,
  type ResourceKey,
} from "@capstan/model";
import { compareResources, pairResources } from "../compare/compare-resources.ts";
import type { HookDeletePolicy, HookType } from "../marks/hooks.ts";
import { definedKind } from "./defined-kind.ts";
import { nextStep } from "./next-step.ts";
import { planSync } from "./plan-sync.ts";
import { isRefusedFirst, recordOutcomes } from "./record-outcomes.ts";
import {
  initialSyncState,
  type SyncAction,
  type SyncOutcome,
  type SyncPlan,
  type SyncState,
  type SyncStep,
} from "./sync-plan.ts";

/** A cluster in a map, for tests of the sync machine. */

interface Extra {
  wave?: number;
  options?: string;
}

function object(
  type: { apiVersion: string; kind: string },
  name: string,
  { wave, options }: Extra = {},
): Manifest {
  const annotations: { [key: string]: string } = {};
  if (wave !== undefined) annotations["argocd.argoproj.io/sync-wave"] = String(wave);
  if (options !== undefined) annotations["argocd.argoproj.io/sync-options"] = options;
  return { ...type, metadata: { name, namespace: "shop", annotations } };
}

export const configMap = (name: string, extra?: Extra): Manifest =>
  object({ apiVersion: "v1", kind: "ConfigMap" }, name, extra);
export const deployment = (name: string, extra?: Extra): Manifest =>
  object({ apiVersion: "apps/v1", kind: "Deployment" }, name, extra);
export const account = (name: string): Manifest => object({ apiVersion: "v1", kind: "ServiceAccount" }, name);
export const job = (name: string): Manifest => object({ apiVersion: "batch/v1", kind: "Job" }, name);
export const widget = (name: string): Manifest =>
  object({ apiVersion: "example.com/v1", kind: "Widget" }, name);
export const namespace = (name: string): Manifest => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
});
export const crd = (): Manifest => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: { group: "example.com", names: { kind: "Widget" } },
});

export function hook(manifest: Manifest, type: HookType, policy?: HookDeletePolicy): Manifest {
  const annotations: { [key: string]: string } = { "argocd.argoproj.io/hook": type };
  if (policy !== undefined) annotations["argocd.argoproj.io/hook-delete-policy"] = policy;
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
}

export interface WorldInput {
  targets: Manifest[];
  hooks?: Manifest[];
  live?: Manifest[];
  /** By name; the others are Healthy. */
  health?: { [name: string]: HealthStatusCode };
  /** Names that the server refuses, with its message. */
  refuse?: { [name: string]: string };
  /** Names whose deletion only begins. */
  lingers?: string[];
  /** Names that the cluster makes again, five seconds after the operation began, when they are deleted. */
  remade?: string[];
  prune?: boolean;
  dryRun?: boolean;
  syncOptions?: string[];
  pruneBudget?: RemovalBudget;
  /** Of the application. */
  annotations?: { [key: string]: string };
  /** The last deployment of the application's history. */
  deployed?: number;
  dryRunFirst?: boolean;
  isResumed?: boolean;
  state?: SyncState;
}

export interface Ended {
  kind: SyncStep["kind"];
  phase?: string;
  message: string;
  state: SyncState;
}

export interface World {
  plan: SyncPlan;
  live: Map<string, Manifest>;
  log: string[];
  setHealth(name: string, status: HealthStatusCode): void;
  /** Steps until there is something to wait for, or the end. */
  run(): Ended;
  terminate(): Ended;
}

const maxSteps = 100;
const tracking = { method: "label", instanceLabelKey: "app" } as const;

export function planOf(input: WorldInput, live: ReadonlyMap<string, Manifest>): SyncPlan {
  const app: Application = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "shop", annotations: input.annotations ?? {} },
    spec: { project: "default", destination: { name: "in-cluster", namespace: "shop" } },
    ...(input.deployed === undefined
      ? {}
      : { status: { history: [{ id: input.deployed, deployedAt: "2025-12-31T00:00:00Z" }] } }),
  };
  const owned = [...live.values()].map((manifest) => ({
    ...manifest,
    metadata: { ...manifest.metadata, labels: { app: "shop" } },
  }));
  const hookKeys = new Set((input.hooks ?? []).map((one) => keyText(keyOf(one))));
  const pairs = pairResources({ targets: input.targets, live: owned, instance: "shop", tracking }).filter(
    ({ key }) => !hookKeys.has(keyText(key)),
  );
  const comparison = compareResources({
    app,
    instance: "shop",
    tracking,
    pairs,
    diffOf: () => ({ verdict: "modified", fields: [] }),
  });
  const defined = new Set([...live.values()].map(definedKind));
  return planSync({
    app,
    operation: {
      sync: {
        prune: input.prune === true,
        dryRun: input.dryRun === true,
        syncOptions: input.syncOptions ?? [],
      },
    },
    startedAt: "2026-01-01T00:00:00Z",
    revision: "0123456789",
    resources: comparison.resources,
    hooks: input.hooks ?? [],
    liveOf: (key) => live.get(keyText(key)),
    destinationNamespace: live.get(keyText(keyOf(namespace(app.spec.destination.namespace ?? "")))),
    kindOf: (apiVersion, kind) =>
      apiVersion.startsWith("example.com") && !defined.has(`example.com/${kind}`)
        ? undefined
        : { namespaced: kind !== "Namespace" },
    refusalOf: () => undefined,
    pruneBudget: input.pruneBudget ?? defaultRemovalBudget,
    digestOf: numberOf,
  });
}

/** Stands for a digest, of 80 bits. */
function numberOf(text: string): string {
  let sum = 0n;
  for (const letter of text) sum = (sum * 131n + BigInt(letter.charCodeAt(0))) % 2n ** 80n;
  return sum.toString(16).padStart(20, "0");
}

export function world(input: WorldInput): World {
  const live = new Map((input.live ?? []).map((manifest) => [keyText(keyOf(manifest)), manifest]));
  const health = new Map(Object.entries(input.health ?? {}));
  const log: string[] = [];
  const plan = planOf(input, live);
  const cluster: Cluster = {
    live,
    log,
    refuse: input.refuse ?? {},
    lingers: input.lingers ?? [],
    remade: input.remade ?? [],
  };
  let state = input.state ?? initialSyncState;
  const step = (terminate: boolean): SyncStep =>
    nextStep({
      plan,
      state,
      liveOf: (key: ResourceKey) => live.get(keyText(key)),
      healthOf: ({ metadata, kind }) =>
        kind === "ConfigMap" ? undefined : { status: health.get(metadata.name ?? "") ?? "Healthy" },
      dryRunFirst: input.dryRunFirst ?? true,
      waveDelayMs: 0,
      terminate,
      isResumed: input.isResumed ?? false,
    });
  const drive = (terminate: boolean): Ended => {
    for (let count = 0; count < maxSteps; count += 1) {
      const next = step(terminate);
      state = next.state;
      const groups = next.kind === "act" ? next.groups : next.kind === "done" ? [next.actions] : [];
      const outcomes: SyncOutcome[] = [];
      for (const group of groups)
        if (!outcomes.some(isRefusedFirst)) outcomes.push(...perform(group, cluster));
      state = recordOutcomes(state, outcomes);
      if (next.kind === "wait") return { kind: "wait", message: next.message, state };
      if (next.kind === "done") return { kind: "done", phase: next.phase, message: next.message, state };
    }
    throw new Error(`no end after ${maxSteps} steps: ${log.slice(-5).join(", ")}`);
  };
  return {
    plan,
    live,
    log,
    setHealth: (name, status) => health.set(name, status),
    run: () => drive(false),
    terminate: () => drive(true),
  };
}

interface Cluster {
  live: Map<string, Manifest>;
  log: string[];
  refuse: { [name: string]: string };
  lingers: readonly string[];
  remade: readonly string[];
}

function perform(actions: readonly SyncAction[], cluster: Cluster): SyncOutcome[] {
  const tried = actions.filter((action) => "dryRun" in action && action.dryRun).map(nameOf);
  if (tried.length > 0) cluster.log.push(`dry-run ${tried.join(", ")}`);
  return actions.map((action) => performOne(action, cluster));
}

const nameOf = (action: SyncAction): string => ("task" in action ? action.task.key.name : action.key.name);

function performOne(action: SyncAction, { live, log, refuse, lingers, remade }: Cluster): SyncOutcome {
  const name = nameOf(action);
  const key = keyText("task" in action ? action.task.key : action.key);
  if ("dryRun" in action && action.dryRun) {
    const problem = refuse[name];
    return { action, ok: problem === undefined, message: problem ?? "fine" };
  }
  log.push(`${action.act} ${name}`);
  const problem = action.act === "apply" ? refuse[name] : undefined;
  if (problem !== undefined) return { action, ok: false, message: problem };
  const held = live.get(key);
  if (action.act === "apply") live.set(key, action.task.target);
  else if (action.act === "release-hook") {
    if (held !== undefined) live.set(key, { ...held, metadata: { ...held.metadata, finalizers: [] } });
  } else if (held !== undefined && remade.includes(name)) live.set(key, madeAgain(held));
  else if (!lingers.includes(name)) live.delete(key);
  else if (held !== undefined)
    live.set(key, {
      ...held,
      metadata: { ...held.metadata, finalizers: [], deletionTimestamp: "2026-01-01T00:00:00Z" },
    });
  return { action, ok: true, message: action.act };
}

function madeAgain({ apiVersion, kind, metadata }: Manifest): Manifest {
  const { annotations: _none, finalizers: _neither, ...rest } = metadata;
  return { apiVersion, kind, metadata: { ...rest, creationTimestamp: "2026-01-01T00:00:05Z" } };
}
