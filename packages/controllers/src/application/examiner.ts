import type { ComparedResource } from "@capstan/engine";
import { orAborted } from "@capstan/flow";
import type { Cluster } from "@capstan/kube";
import { type Application, type ApplicationStatus, CapstanError, type Operation } from "@capstan/model";
import { Registry } from "prom-client";
import { storeKey } from "../loop/object-store.ts";
import type { ApplicationControllerInput } from "./application-controller-input.ts";
import { ApplicationMemory } from "./application-memory.ts";
import { createApplicationMetrics } from "./application-metrics.ts";
import { type ApplicationNeeds, defaultOptions } from "./application-needs.ts";
import { beginRun } from "./application-run.ts";
import { openStores } from "./application-stores.ts";
import { concludeFrom, findOut } from "./find-out.ts";
import { comparisonFailed, specRefused } from "./run-end.ts";
import { blockUnsafe } from "./steps/block-unsafe.ts";
import { loadProject } from "./steps/load-project.ts";
import { normalizeSpec } from "./steps/normalize-spec.ts";

/** What the controller would say of an application, and do, at the revision that its status names. */
export interface Examination {
  /** As it is. */
  readonly app: Application;
  /** As the controller would write it. */
  readonly status: ApplicationStatus;
  /** Undefined where it could not be compared. */
  readonly resources: readonly ComparedResource[] | undefined;
  /** Why it could not. */
  readonly error: unknown;
  /** What it would begin by itself. */
  readonly operation: Operation | undefined;
}

export interface Examiner extends AsyncDisposable {
  /** Names of all, as namespace/name, sorted. */
  keys(): readonly string[];
  get(key: string): Application | undefined;
  /** Undefined where there is none of this name any more. */
  examine(key: string, signal: AbortSignal): Promise<Examination | undefined>;
}

interface ExaminerInput
  extends Pick<
    ApplicationControllerInput,
    "kube" | "clusters" | "repo" | "settings" | "scripts" | "clock" | "log" | "namespace" | "signal"
  > {
  /** How long a cluster may take to tell all that it holds. */
  readonly clusterLimitMs: number;
}

/** Looks at applications as the controller does, and leaves them, and everything else, as they are. */
export async function openExaminer(input: ExaminerInput): Promise<Examiner> {
  const { kube: client, namespace, signal } = input;
  await using opened = new AsyncDisposableStack();
  const { apps, projects } = openStores(input);
  opened.use(apps);
  opened.use(projects);
  await orAborted(Promise.all([apps.ready(), projects.ready()]), signal);
  const needs: ApplicationNeeds = {
    ...input,
    client,
    apps,
    projects,
    controlNamespace: namespace,
    options: defaultOptions,
    events: { record: () => undefined, flush: async () => undefined },
    metrics: createApplicationMetrics(new Registry(), {
      all: () => [],
      orphansOf: () => 0,
      serverOf: () => "",
      params: () => ({}),
    }),
  };
  const clusters = new ReadyClusters(input);
  const closing = opened.move();
  return {
    keys: () => [...apps.keys()].sort(),
    get: (key) => apps.get(key),
    async examine(key, asked) {
      const app = apps.get(key);
      return app && examineApplication({ needs, app, clusters }, asked);
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

interface Asked {
  readonly needs: ApplicationNeeds;
  readonly app: Application;
  readonly clusters: ReadyClusters;
}

async function examineApplication(
  { needs, app, clusters }: Asked,
  signal: AbortSignal,
): Promise<Examination> {
  const run = beginRun({ needs, app, key: storeKey(app), memory: new ApplicationMemory() });
  const found = (facts: Partial<Examination>): Examination => {
    const { status, operation } = run.draft;
    const begun = operation === app.operation ? undefined : operation;
    return { app, status, operation: begun, resources: undefined, error: undefined, ...facts };
  };
  normalizeSpec(run);
  const loaded = loadProject(run);
  if ("problems" in loaded) {
    specRefused(run, loaded.problems);
    return found({ error: new Error(loaded.problems.join("; ")) });
  }
  blockUnsafe(loaded);
  try {
    await clusters.ready(loaded.cluster, signal);
    const { revision, revisions } = app.status?.sync ?? {};
    const known = revisions ?? (revision ? [revision] : []);
    const compare = { level: 2, hard: false, reason: "it is examined", revisions: known } as const;
    const compared = await findOut(loaded, compare, signal);
    concludeFrom(compared);
    return found({ resources: compared.comparison.resources });
  } catch (error) {
    signal.throwIfAborted();
    comparisonFailed(run, error);
    return found({ error });
  }
}

/** Each is waited for once, not for as long as there are applications in it. */
class ReadyClusters {
  readonly #input: Pick<ExaminerInput, "clusterLimitMs">;
  readonly #known = new Map<Cluster, Promise<void>>();

  constructor(input: Pick<ExaminerInput, "clusterLimitMs">) {
    this.#input = input;
  }

  async ready(cluster: Cluster, signal: AbortSignal): Promise<void> {
    const known = this.#known.get(cluster) ?? this.#wait(cluster);
    this.#known.set(cluster, known);
    await orAborted(known, signal);
  }

  async #wait(cluster: Cluster): Promise<void> {
    const { clusterLimitMs } = this.#input;
    const limit = AbortSignal.timeout(clusterLimitMs);
    try {
      await cluster.live.ready(limit);
    } catch (error) {
      if (!limit.aborted) throw error;
      const problem = `it has not told within ${clusterLimitMs / 1000} s what it holds`;
      throw new CapstanError({ code: "UNAVAILABLE", what: `cluster ${cluster.name}`, problem }, error);
    }
  }
}
