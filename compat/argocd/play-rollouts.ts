/** Plays the controller of Applications beside a controller of sets, one turn at a time, and tells what it saw. */
import { setTimeout as sleep } from "node:timers/promises";
import { canonicalJson, equalJson, isRecord } from "@capstan/formats";
import type { KubeClient } from "@capstan/kube";
import { finalizers, type Manifest } from "@capstan/model";
import type { Act, Outcome, RollingCase } from "./rolling-cases.ts";

const namespace = "argocd";
const apiVersion = "argoproj.io/v1alpha1";
const limit = () => AbortSignal.timeout(60_000);
const label = "group";
/** Nothing changes for so long: then the controller is taken to be done. */
const defaultQuietMs = 3_000;
const pollMs = 250;
/** What never comes to rest is taken as it is after so long. */
const defaultLongestMs = 20_000;

const nameOf = ({ metadata }: Manifest): string => metadata.name ?? "";
const part = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const groupOf = (app: Manifest): string => app.metadata.labels?.[label] ?? "";
const textsOf = (all: readonly string[]): string => [...all].sort().join(" ");

function elementsOf(groups: Readonly<Record<string, number>>, name: string): object[] {
  return Object.entries(groups).flatMap(([group, count]) =>
    Array.from({ length: count }, (_, index) => ({ name: `${name}-${group}${index}`, group })),
  );
}

const generatorsOf = (groups: Readonly<Record<string, number>>, name: string) => [
  { list: { elements: elementsOf(groups, name) } },
];

function setOf(name: string, one: RollingCase): Manifest {
  const steps = one.steps.map(({ groups, operator = "In", maxUpdate }) => ({
    matchExpressions: [{ key: label, operator, values: groups }],
    ...(maxUpdate === undefined ? {} : { maxUpdate }),
  }));
  const { deletionOrder, syncPolicy, applicationsSync } = one;
  return {
    apiVersion,
    kind: "ApplicationSet",
    metadata: { name, namespace, ...(one.isHeld ? { finalizers: [finalizers.resources] } : {}) },
    spec: {
      generators: generatorsOf(one.groups, name),
      strategy: { type: "RollingSync", rollingSync: { steps }, ...(deletionOrder ? { deletionOrder } : {}) },
      ...(applicationsSync ? { syncPolicy: { applicationsSync } } : {}),
      template: {
        metadata: { name: "{{name}}", labels: { [label]: "{{group}}" } },
        spec: {
          project: "default",
          source: { repoURL: "https://git.example/x", path: "{{name}}", targetRevision: "main" },
          destination: { server: "https://kubernetes.default.svc", namespace: "{{name}}" },
          ...(syncPolicy ? { syncPolicy } : {}),
        },
      },
    },
  };
}

/** One rollout in one world. Applications of a group are alike: of them is told how many, not which. */
export class PlayedRollout {
  readonly #kube: KubeClient;
  readonly #name: string;
  readonly #case: RollingCase;
  #revision = "r1";
  readonly #ended = new Map<string, number>();
  /** Names of those whose sync is under way, with what becomes of it. */
  readonly #running = new Map<string, Outcome>();
  readonly #stuck = new Set<string>();
  readonly #known = new Set<string>();
  /** Whose sync began and ended with which commit, in order. */
  readonly syncs: string[] = [];
  /** What of whom has been synced, or is being. */
  readonly #begun = new Set<string>();

  constructor(kube: KubeClient, name: string, one: RollingCase) {
    this.#kube = kube;
    this.#name = name;
    this.#case = one;
  }

  async begin(): Promise<void> {
    await this.#kube.create(setOf(this.#name, this.#case), { signal: limit() });
  }

  /**
   * What the controller of Applications does whenever a source is another: it compares. To be asked for what has been
   * done changes nothing: the real controller of 3.2 asks again until its own cache shows what it has stored.
   */
  async compare(all: readonly Manifest[]): Promise<void> {
    for (const app of this.#own(all)) {
      const name = nameOf(app);
      if (app.operation !== undefined && this.#begun.has(this.#turnOf(app))) {
        await this.#patch(app, { operation: null });
        continue;
      }
      const compared = part(app.status, "sync", "comparedTo", "source");
      if (app.metadata.deletionTimestamp || equalJson(compared ?? null, part(app.spec, "source") ?? null))
        continue;
      const isFirst = !this.#known.has(name);
      this.#known.add(name);
      await this.#tell(app, this.#case.isSynced && isFirst ? "Synced" : "OutOfSync", "Healthy");
    }
  }

  /** As text, to be compared: what is asked to sync, what is being deleted, and what the set tells. */
  view(all: readonly Manifest[], sets: readonly Manifest[]): readonly string[] {
    const own = this.#own(all);
    const set = sets.find(({ metadata }) => metadata.name === this.#name);
    const groups = new Map(own.map((app) => [nameOf(app), groupOf(app)]));
    const asked = own.filter((app) => app.operation !== undefined);
    const leaving = own.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    const rows = listOf(part(set?.status, "applicationStatus")).filter(isRecord);
    const conditions = listOf(part(set?.status, "conditions"))
      .filter(isRecord)
      .filter(({ type }) => type !== "InvalidRolloutConfig");
    return [
      `there: ${textsOf(own.map(groupOf))}`,
      `asked: ${textsOf(asked.map(groupOf))}`,
      ...new Set(asked.map((app) => `how: ${canonicalJson(howOf(app))}`)),
      `leaving: ${textsOf(leaving.map(groupOf))}`,
      `by themselves: ${own.filter(syncsItself).length}`,
      `states: ${textsOf(rows.map(({ application, status, step }) => `${groups.get(String(application))}:${stateOf(status)}/${step}`))}`,
      `revisions: ${textsOf([...new Set(rows.map(({ targetRevisions }) => String(targetRevisions)))])}`,
      `conditions: ${textsOf(conditions.map(({ type, status, reason }) => `${type}=${status}(${reason})`))}`,
      set ? "the set is there" : "the set is gone",
    ];
  }

  /** One step of what is under way. False: nothing is, and nothing was done. */
  async goOn(all: readonly Manifest[]): Promise<boolean> {
    const own = this.#own(all);
    let done = false;
    for (const app of own) {
      const name = nameOf(app);
      const { deletionTimestamp } = app.metadata;
      const outcome = this.#running.get(name);
      if (deletionTimestamp) {
        await this.#patch(app, { metadata: { finalizers: null } });
        done = true;
      } else if (outcome !== undefined) {
        this.#running.delete(name);
        done = (await this.#end(app, outcome)) || done;
      } else if (app.operation !== undefined && !this.#stuck.has(name)) {
        await this.#take(app);
        done = true;
      }
    }
    return done;
  }

  async act(act: Act, all: readonly Manifest[]): Promise<void> {
    const own = this.#own(all);
    const ref = { apiVersion, kind: "ApplicationSet", namespace, name: this.#name };
    const change = (spec: object) =>
      this.#kube.patch(ref, { type: "merge", body: { spec } }, { signal: limit() });
    this.syncs.push(act.do);
    if (act.do === "push") {
      this.#revision = act.revision;
      for (const app of own) await this.#tell(app, "OutOfSync", String(part(app.status, "health", "status")));
    } else if (act.do === "grow") await change({ generators: generatorsOf(act.groups, this.#name) });
    else if (act.do === "delete") await this.#kube.delete(ref, { signal: limit() });
    else if (act.do === "heal") for (const name of [...this.#stuck]) await this.#heal(own, name);
    else {
      const app = own.find((one) => groupOf(one) === act.group);
      const operation = { initiatedBy: { username: "ann" }, sync: { revision: this.#revision } };
      if (app) await this.#patch(app, { operation });
    }
  }

  #own(all: readonly Manifest[]): Manifest[] {
    return all
      .filter(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === this.#name))
      .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  }

  #turnOf(app: Manifest): string {
    return `${nameOf(app)} ${this.#revision} ${String(part(app.spec, "source", "targetRevision"))}`;
  }

  async #take(app: Manifest): Promise<void> {
    this.#begun.add(this.#turnOf(app));
    this.syncs.push(`${nameOf(app)} begins at ${this.#revision}`);
    const group = groupOf(app);
    const count = this.#ended.get(group) ?? 0;
    this.#ended.set(group, count + 1);
    this.#running.set(nameOf(app), this.#case.outcomes?.[group]?.[count] ?? "healthy");
    const operationState = { operation: app.operation, phase: "Running", startedAt: now() };
    await this.#patch(app, { operation: null, status: { operationState } });
  }

  async #end(app: Manifest, outcome: Outcome): Promise<boolean> {
    if (outcome !== "healthy") this.#stuck.add(nameOf(app));
    if (outcome === "running") return false;
    this.syncs.push(`${nameOf(app)} ends`);
    const isFailed = outcome === "failed";
    const health = {
      healthy: "Healthy",
      progressing: "Progressing",
      degraded: "Degraded",
      failed: "Healthy",
    };
    await this.#patch(app, {
      status: { operationState: { phase: isFailed ? "Failed" : "Succeeded", finishedAt: now() } },
    });
    await this.#tell(app, isFailed ? "OutOfSync" : "Synced", health[outcome]);
    return true;
  }

  async #heal(own: readonly Manifest[], name: string): Promise<void> {
    this.#stuck.delete(name);
    const app = own.find(({ metadata }) => metadata.name === name);
    if (!app) return;
    const phase = part(app.status, "operationState", "phase");
    if (phase === "Running") {
      this.syncs.push(`${nameOf(app)} ends`);
      await this.#patch(app, { status: { operationState: { phase: "Succeeded" } } });
    }
    const isPushed = phase === "Running" && !this.#begun.has(this.#turnOf(app));
    await this.#tell(app, isPushed ? "OutOfSync" : "Synced", "Healthy");
  }

  async #tell(app: Manifest, sync: string, health: string): Promise<void> {
    const { source, destination } = isRecord(app.spec) ? app.spec : {};
    const said = { status: sync, revision: this.#revision, comparedTo: { source, destination } };
    await this.#patch(app, { status: { sync: said, health: { status: health } } });
  }

  async #patch(app: Manifest, body: object): Promise<void> {
    const ref = { apiVersion, kind: "Application", namespace, name: nameOf(app) };
    await this.#kube.patch(ref, { type: "merge", body }, { signal: limit() });
  }
}

/** From what on a sync is Progressing and no longer Pending hangs on the release: it has begun in both. */
const stateOf = (status: unknown) => (status === "Pending" || status === "Progressing" ? "Begun" : status);

/** Whether it says so by `enabled`, as releases from 3.4 on do, or has no such policy any more, as those before. */
function syncsItself({ spec }: Manifest): boolean {
  const automated = part(spec, "syncPolicy", "automated");
  return isRecord(automated) && automated.enabled !== false;
}

/** What of an operation is the set's decision; the mark by which Capstan knows it again is its own. */
function howOf({ operation }: Manifest): unknown {
  const info = listOf(part(operation, "info")).filter((one) => part(one, "name") === "Reason");
  const [sync, initiatedBy, retry] = ["sync", "initiatedBy", "retry"].map(
    (name) => part(operation, name) ?? null,
  );
  return { sync, initiatedBy, retry, info };
}

const now = () => new Date().toISOString().replace(/\.\d+Z$/, "Z");

export async function readAll(kube: KubeClient): Promise<{ apps: Manifest[]; sets: Manifest[] }> {
  const list = async (kind: string) =>
    (await kube.list({ apiVersion, kind, namespace }, limit())).items as Manifest[];
  return { apps: await list("Application"), sets: await list("ApplicationSet") };
}

/** Compares what is to be compared until nothing changes any more; resolves to what is there then. */
export async function untilQuiet(
  kube: KubeClient,
  played: readonly PlayedRollout[],
  { quietMs = defaultQuietMs, longestMs = defaultLongestMs } = {},
) {
  let before = "";
  const begunAt = performance.now();
  let since = begunAt;
  for (;;) {
    const found = await readAll(kube);
    for (const one of played) await one.compare(found.apps);
    const seen = [...found.apps, ...found.sets].map(({ metadata }) => metadata.resourceVersion).join();
    const at = performance.now();
    if (seen !== before) since = at;
    if (at - since > quietMs || at - begunAt > longestMs) return found;
    before = seen;
    await sleep(pollMs);
  }
}
