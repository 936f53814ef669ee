/** Two controllers on one operation: whatever one of them sees late, a hook is made once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApplicationController, startApplicationController } from "@capstan/controllers";
import { trackedInstance } from "@capstan/engine";
import { createClusters, createKubeClient, type KubeRequest, type KubeResponse } from "@capstan/kube";
import { inClusterServer } from "@capstan/model";
import {
  configMapText,
  createGitRepository,
  eventually,
  type GitRepository,
  jobText,
  realClock,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import { openSmallWorld, requestSync, type SmallWorld, untilOperation } from "@capstan/testkit/worlds";
import { Registry } from "prom-client";
import type { Shard } from "./shard.ts";

const limit = () => AbortSignal.timeout(40_000);
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined };
const until = (what: string, ready: () => boolean) =>
  eventually(() => ready() || undefined, { signal: limit(), describe: () => `never: ${what}` });

/** A client whose watches of chosen kinds lag, and that loses the answer to a chosen request. */
function slowClient(world: SmallWorld, userAgent: string) {
  const open = new Map<string, PromiseWithResolvers<void>>();
  const answer = Promise.withResolvers<void>();
  const state = { loses: "", lost: 0, passed: "", answer: answer.resolve };
  async function* lagging(pieces: AsyncIterable<string>, { url, signal }: KubeRequest) {
    for await (const piece of pieces) {
      const [held] = [...open].filter(([kind]) => url.includes(`/${kind}`)).map(([, gate]) => gate.promise);
      await Promise.race([held, rejectedBy(signal)]);
      state.passed += piece;
      yield piece;
    }
  }
  const transport = async (request: KubeRequest): Promise<KubeResponse> => {
    const response = await world.transport(request);
    const { body } = response;
    if (typeof body !== "string") return { ...response, body: lagging(body, request) };
    const [path, query = ""] = request.url.split("?");
    if (state.loses !== `${request.method} ${path}` || query.includes("dryRun")) return response;
    state.lost += 1;
    await Promise.race([answer.promise, rejectedBy(request.signal)]);
    return response;
  };
  return {
    client: createKubeClient({ transport, userAgent, clock: realClock }),
    state,
    hold: (kind: string) => void open.set(kind, Promise.withResolvers()),
    release(kind: string) {
      open.get(kind)?.resolve();
      open.delete(kind);
    },
  };
}

const rejectedBy = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

/** What a controller believes of itself and of the others, said by the test. */
function saidShard(identity: string, owns: boolean) {
  const listeners = new Set<() => void>();
  const ended = new AbortController();
  const says = { owns, isLive: true, isCurrent: true, ended };
  const shard: Shard = {
    identity,
    get isCurrent() {
      return says.isCurrent;
    },
    signal: ended.signal,
    owns: () => says.owns,
    isLive: () => says.isLive,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return { shard, says, tell: () => listeners.forEach((listener) => void listener()) };
}

interface Member extends ReturnType<typeof slowClient>, ReturnType<typeof saidShard> {
  readonly controller: ApplicationController;
  /** Why runs of it broke off. */
  readonly problems: readonly string[];
}

interface Place extends AsyncDisposable {
  readonly world: SmallWorld;
  readonly git: GitRepository;
  /** Has the application from the beginning. */
  readonly first: Member;
  /** Has nothing until `follow`. */
  readonly second: Member;
  /** Uids of the hooks of this name, by the operation. */
  made(name: string): string[][];
}

const annotated = (type: string, policy: string) => ({
  annotations: { "argocd.argoproj.io/hook": type, "argocd.argoproj.io/hook-delete-policy": policy },
});

/** Its container starts when the ConfigMap is there. */
const gated = (text: string) =>
  text.replace(/^( *)image: .*$/m, `$&\n$1envFrom: [{configMapRef: {name: gate}}]`);
const gate = { apiVersion: "v1", kind: "ConfigMap", namespace: "web", name: "gate" };

const openGate = ({ world: { kube } }: Place) => {
  const { name, namespace, ...type } = gate;
  return kube.create({ ...type, metadata: { name, namespace } }, { signal: limit() });
};

async function openPlace(): Promise<Place> {
  await using opened = new AsyncDisposableStack();
  const git = opened.use(
    await createGitRepository({
      "app/before.yaml": gated(jobText("before", "true", annotated("PreSync", "BeforeHookCreation"))),
      "app/one.yaml": configMapText("one"),
      "app/after.yaml": jobText("after", "true", annotated("PostSync", "HookSucceeded")),
    }),
  );
  const world = opened.use(await openSmallWorld());
  await world.stopController();
  const { kube, settings, repo, scripts } = world;
  const member = async (identity: string, owns: boolean): Promise<Member> => {
    const problems: string[] = [];
    const log = { ...quiet, error: (facts: object) => void problems.push(String(Object(facts).problem)) };
    const shared = { settings, clock: realClock, log };
    const slow = slowClient(world, identity);
    const own = { local: slow.client, readInstance: trackedInstance, userAgent: identity };
    const clusters = opened.use(createClusters({ ...shared, ...own }));
    // As one that has other applications there.
    await clusters.forDestination({ server: inClusterServer }).live.ready(limit());
    const said = saidShard(identity, owns);
    const parts = { kube: slow.client, clusters, repo, scripts, metrics: new Registry() };
    const { signal } = new AbortController();
    const rest = { namespace: "argocd", signal, shard: said.shard };
    const controller = opened.use(await startApplicationController({ ...shared, ...parts, ...rest }));
    opened.defer(() => said.says.ended.abort());
    return { ...slow, ...said, controller, problems };
  };
  const marks = new Map<string, Set<string>>();
  opened.defer(
    world.cluster.live.onChange(({ key, current }) => {
      const mark = current?.metadata.annotations?.["capstan.dev/hook-of"];
      if (key.kind !== "Job" || mark === undefined) return;
      const id = `${key.name} ${mark}`;
      marks.set(id, (marks.get(id) ?? new Set()).add(current?.metadata.uid ?? ""));
    }),
  );
  const first = await member("first", true);
  const second = await member("second", false);
  const syncPolicy = { syncOptions: ["CreateNamespace=true"] };
  const app = sketchApplication({ name: "web", repoURL: git.url, path: "app", syncPolicy });
  await kube.create(app, { signal: limit() });
  await untilApplication(kube, "web", ({ sync }) => sync !== "");
  const closing = opened.move();
  return {
    world,
    git,
    first,
    second,
    made: (name) => [...marks].filter(([id]) => id.startsWith(`${name} `)).map(([, uids]) => [...uids]),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function sync({ world }: Place): Promise<void> {
  // The mark of an operation tells seconds.
  await realClock.sleep(1_000, limit());
  await requestSync(world, "web", { syncOptions: ["CreateNamespace=true"] });
}

/** The second goes on with what the first has, whether that one is gone or not. */
function follow({ second }: Place): void {
  Object.assign(second.says, { owns: true, isLive: false });
  second.tell();
}

/** The first may have been taken for gone. */
function end({ first }: Place): void {
  first.says.isCurrent = false;
  first.says.ended.abort(new Error("taken for gone"));
}

async function untilDone(place: Place, made: { before: number; after: number }): Promise<void> {
  const view = await untilOperation(place.world, "web");
  assert.equal(view.phase, "Succeeded", view.message);
  const once = (count: number) => Array.from({ length: count }, () => 1);
  for (const [name, count] of Object.entries(made))
    assert.deepEqual(
      place.made(name).map((uids) => uids.length),
      once(count),
      `each operation made ${name} once`,
    );
}

const job = "/apis/batch/v1/namespaces/web/jobs/before";
const mark = /hook-of/;

test("one that was followed while it waited does not take its follower's hook for an old one", async () => {
  await using place = await openPlace();
  const { first } = place;
  await sync(place);
  await until("the first hook", () => place.made("before").length === 1);
  await openGate(place);
  await untilDone(place, { before: 1, after: 1 });
  first.state.loses = `DELETE ${job}`;
  await sync(place);
  await until("the first deletes the former hook", () => first.state.lost === 1);
  follow(place);
  const uid = () => place.made("before")[1]?.[0];
  await until("the first sees the second's hook", () => first.state.passed.includes(uid() ?? "none yet"));
  first.state.loses = "";
  first.state.answer();
  await untilDone(place, { before: 2, after: 2 });
});

test("one whose view is older than the hook of the one that it follows deletes the former hook or none", async () => {
  await using place = await openPlace();
  const { first, second, world } = place;
  await sync(place);
  await until("the second sees the hook", () => mark.test(second.state.passed));
  second.hold("jobs");
  await openGate(place);
  await untilDone(place, { before: 1, after: 1 });
  first.state.loses = `PATCH ${job}`;
  await sync(place);
  await until("the first has made the hook", () => place.made("before").length === 2);
  end(place);
  const from = world.requests.length;
  follow(place);
  const isGoing = () =>
    world.requests.slice(from).some(({ method, url }) => method === "GET" && url.includes(job));
  await until("the second looks at what bears the hook's name", isGoing);
  second.release("jobs");
  await untilDone(place, { before: 2, after: 2 });
});

test("one whose Application is older than the end of the operation does nothing of it again", async () => {
  await using place = await openPlace();
  const { second } = place;
  await sync(place);
  const isBegun = () => /"phase":"Running"/.test(second.state.passed) && place.made("before").length === 1;
  await until("the second sees the operation", isBegun);
  second.hold("applications");
  await openGate(place);
  await untilDone(place, { before: 1, after: 1 });
  follow(place);
  const hasTried = () => second.problems.some((one) => /another controller/.test(one));
  await until("the second has tried", () => hasTried() || place.made("after")[0]?.length !== 1);
  await untilDone(place, { before: 1, after: 1 });
});

test("what a controller has under way ends when it may have been taken for gone", async () => {
  await using place = await openPlace();
  const { first } = place;
  first.state.loses = `PATCH ${job}`;
  await sync(place);
  await until("the first has made the hook", () => place.made("before").length === 1);
  end(place);
  await first.controller.idle();
  follow(place);
  await openGate(place);
  await untilDone(place, { before: 1, after: 1 });
});
