import {
  type Application,
  type ResourceDiff,
  type ResourceNode,
  type ResourceStatus,
  type RevisionHistory,
  withHealthCause,
} from "@capstan/model";
import type { ApplicationSyncWindows } from "@capstan/wire";
import { SeededSets } from "./application-sets.ts";
import { pairsOf } from "./objects.ts";
import { randomSha, seeded } from "./random.ts";
import { plentyOfRecipes, type Recipe, recipes } from "./recipes.ts";
import { orphanNodes, toHealth, treeNodes, workloadHealth } from "./tree.ts";

/** One application with all that the server tells about it. */
export interface Entry {
  app: Application;
  nodes: ResourceNode[];
  /** Of its namespace, and no application's. */
  orphans: ResourceNode[];
  managed: ResourceDiff[];
  /** Of its project. */
  windows: ApplicationSyncWindows;
  readonly recipe: Recipe;
}

export interface Commit {
  readonly author: string;
  readonly message: string;
  readonly date: string;
  readonly tags: string[];
}

export class World {
  readonly entries = new Map<string, Entry>();
  /** Deleted ones, as they were. */
  readonly gone = new Map<string, Entry>();
  readonly commits = new Map<string, Commit>();
  readonly sets = new SeededSets();
  readonly #watchers = new Set<(entry: Entry, type: "MODIFIED" | "ADDED" | "DELETED") => void>();
  #version = 10_000;

  watch(tell: (entry: Entry, type: "MODIFIED" | "ADDED" | "DELETED") => void): () => void {
    this.#watchers.add(tell);
    return () => this.#watchers.delete(tell);
  }

  get version(): string {
    return String(this.#version);
  }

  add(entry: Entry): void {
    this.entries.set(entry.app.metadata.name, entry);
    this.changed(entry, "ADDED");
  }

  remove(entry: Entry): void {
    this.entries.delete(entry.app.metadata.name);
    this.gone.set(entry.app.metadata.name, entry);
    this.changed(entry, "DELETED");
  }

  /** One object of it is gone. */
  removed(entry: Entry, object: { kind: string | null; name: string | null }): void {
    const stays = ({ kind, name }: ResourceNode) => kind !== object.kind || name !== object.name;
    entry.nodes = entry.nodes.filter(stays);
    entry.orphans = entry.orphans.filter(stays);
    this.changed(entry);
  }

  changed(entry: Entry, type: "MODIFIED" | "ADDED" | "DELETED" = "MODIFIED"): void {
    const { app } = entry;
    entry.app = { ...app, metadata: { ...app.metadata, resourceVersion: String(++this.#version) } };
    for (const tell of this.#watchers) tell(entry, type);
  }
}

const messages = [
  "Raise the memory limit and turn debug logging on",
  "Add a readiness probe\n\nWithout it the rollout went on before the cache was warm.",
  "Bump base image to 1.7.2",
  "Scale out for the sale",
  "Rename the settings map",
];
const authors = [
  "Mara Lindqvist <mara@example.com>",
  "Jonas Weber <jonas@example.com>",
  "Aiko Tanaka <aiko@example.com>",
];

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

export function seedWorld(plenty: number): World {
  const world = new World();
  const random = seeded(7);
  for (const recipe of [...recipes, ...plentyOfRecipes(plenty)]) world.add(entryOf(recipe, world, random));
  return world;
}

export function historyOf(recipe: Recipe, world: World, random: () => number): RevisionHistory[] {
  return Array.from({ length: 4 }, (_, index) => {
    const revision = randomSha(random);
    world.commits.set(revision, {
      author: authors[Math.floor(random() * authors.length)] ?? "",
      message: messages[Math.floor(random() * messages.length)] ?? "",
      date: minutesAgo((4 - index) * 700),
      tags: [],
    });
    const deployedAt = minutesAgo(Math.round((4 - index) * 690 * random()) + 4);
    return {
      id: index + 1,
      revision,
      source: sourceOf(recipe),
      deployStartedAt: new Date(Date.parse(deployedAt) - 2400 - index * 900).toISOString(),
      deployedAt,
      initiatedBy: index % 2 === 0 ? { automated: true } : { username: "admin" },
    };
  }).sort((left, right) => left.deployedAt.localeCompare(right.deployedAt));
}

function sourceOf({ path }: Recipe) {
  return { repoURL: "https://git.example.com/acme/deployments.git", path, targetRevision: "main" };
}

export function entryOf(recipe: Recipe, world: World, random: () => number): Entry {
  const pairs = pairsOf(recipe);
  const nodes = treeNodes(recipe, pairs, random);
  const managed = pairs.map(({ target, live }): ResourceDiff => {
    const manifest = target ?? live;
    const { name = "", namespace = "" } = manifest?.metadata ?? {};
    const [group = "", version] = (manifest?.apiVersion ?? "v1").split("/");
    const modified =
      JSON.stringify(target ? ("spec" in target ? target.spec : target.data) : null) !==
      JSON.stringify(live ? ("spec" in live ? live.spec : live.data) : null);
    const predicted = target && live ? { ...live, ...target, metadata: live.metadata } : target;
    return {
      group: version === undefined ? "" : group,
      kind: manifest?.kind ?? "",
      namespace,
      name,
      targetState: target ? JSON.stringify(target) : "null",
      liveState: live ? JSON.stringify(live) : "null",
      normalizedLiveState: live ? JSON.stringify(live) : "null",
      predictedLiveState: predicted ? JSON.stringify(predicted) : "null",
      modified,
    };
  });
  return {
    app: applicationOf(recipe, { nodes, managed, history: historyOf(recipe, world, random) }),
    nodes,
    orphans: orphanNodes(recipe),
    managed,
    windows: { canSync: true, activeWindows: [], assignedWindows: [] },
    recipe,
  };
}

interface Parts {
  nodes: readonly ResourceNode[];
  managed: readonly ResourceDiff[];
  history: RevisionHistory[];
}

export function statusesOf(
  nodes: readonly ResourceNode[],
  managed: readonly ResourceDiff[],
): ResourceStatus[] {
  return managed.map((diff) => {
    const node = nodes.find(({ kind, name }) => kind === diff.kind && name === diff.name);
    const status: ResourceStatus = {
      group: diff.group ?? "",
      version: "v1",
      kind: diff.kind,
      namespace: diff.namespace ?? "",
      name: diff.name,
      status: diff.modified ? "OutOfSync" : "Synced",
    };
    if (diff.targetState === "null") status.requiresPruning = true;
    if (diff.liveState === "null") status.health = { status: "Missing" };
    else if (node?.health) status.health = node.health;
    return status;
  });
}

const healthOrder = ["Degraded", "Missing", "Progressing", "Suspended", "Healthy"];

function applicationOf(recipe: Recipe, { nodes, managed, history }: Parts): Application {
  const resources = statusesOf(nodes, managed);
  const outOfSync = resources.some(({ status }) => status === "OutOfSync");
  const worst = healthOrder.find((health) =>
    recipe.workloads.some((workload) => workloadHealth(workload) === health),
  );
  const last = history.at(-1);
  const revision = last?.revision ?? "";
  const phase = recipe.running ? "Running" : recipe.failedSync ? "Failed" : "Succeeded";
  const startedAt = recipe.running ? minutesAgo(0.3) : (last?.deployStartedAt ?? minutesAgo(9));
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: {
      name: recipe.name,
      namespace: "argocd",
      uid: `uid-${recipe.name}`,
      creationTimestamp: minutesAgo(9000),
      ...(recipe.labels && { labels: recipe.labels }),
    },
    spec: {
      project: recipe.project,
      source: sourceOf(recipe),
      destination: destinationOf(recipe),
      ...(recipe.automated
        ? {
            syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ["CreateNamespace=true"] },
          }
        : { syncPolicy: { syncOptions: ["CreateNamespace=true"] } }),
    },
    status: {
      resources,
      history,
      sync: { status: recipe.sync ?? (outOfSync ? "OutOfSync" : "Synced"), revision },
      health: {
        status: toHealth(worst ?? "Healthy"),
        ...causeOf(recipe, nodes),
        lastTransitionTime: minutesAgo(11),
      },
      reconciledAt: minutesAgo(1),
      sourceType: "Kustomize",
      ...(recipe.condition && { conditions: [{ ...recipe.condition, lastTransitionTime: minutesAgo(26) }] }),
      operationState: {
        operation: { initiatedBy: { username: "admin" }, sync: { revision } },
        phase,
        message: recipe.running
          ? "waiting for healthy state of apps/StatefulSet/indexer"
          : (recipe.failedSync ?? "successfully synced (all tasks run)"),
        startedAt,
        ...(recipe.running ? {} : { finishedAt: last?.deployedAt ?? minutesAgo(8) }),
        syncResult: { revision, resources: resultsOf(resources) },
      },
      summary: { images: [`registry.example.com/${recipe.project}/${recipe.name}:1.7.2`] },
    },
  };
}

/** As the controller writes it: the object that is worst, and the Pod for which it is. */
function causeOf(recipe: Recipe, nodes: readonly ResourceNode[]) {
  const sick = recipe.workloads.find(({ unwell = 0, reason = "" }) => unwell > 0 && /BackOff$/.test(reason));
  const pod = nodes.find(
    ({ kind, info = [] }) => kind === "Pod" && info.some(({ value }) => value === sick?.reason),
  );
  if (!sick || !pod) return {};
  const named = `Caused by ${sick.kind}:${recipe.namespace}/${sick.name}`;
  return { message: withHealthCause(named, `${sick.reason}: ${pod.name}`) };
}

function destinationOf(recipe: Recipe) {
  const { namespace, cluster = "in-cluster" } = recipe;
  return cluster === "in-cluster"
    ? { server: "https://kubernetes.default.svc", namespace }
    : { name: cluster, namespace };
}

function resultsOf(resources: readonly ResourceStatus[]) {
  return resources.map(({ group = "", kind = "", namespace = "", name = "" }) => ({
    group,
    version: "v1",
    kind,
    namespace,
    name,
    status: "Synced" as const,
    message: `${kind.toLowerCase()}/${name} unchanged`,
    syncPhase: "Sync" as const,
  }));
}
