import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "@capstan/flow";
import { canonicalJson } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import {
  eventually,
  isSettled,
  plainAnswer,
  readApplications,
  repoServerOf,
  type StoppedClock,
  sketchApplication,
  stoppedClock,
} from "@capstan/testkit";
import {
  applicationRef,
  configMapRef,
  openSmallWorld,
  readObject,
  refresh,
  requestSync,
  type SmallWorld,
} from "@capstan/testkit/worlds";
import type { ManifestRequest } from "@capstan/wire";
import fc from "fast-check";

const timeLimit = () => AbortSignal.timeout(60_000);
const intervalMs = 100_000;
const jitterMs = 20_000;
const names = ["one", "two", "three"];

/** A repository whose newest commit is a number; what every application brings to the cluster is another one. */
function createNumbers(clock: Clock) {
  const state = { head: 1, content: 1, isAway: false, asks: 0 };
  let kept = { head: 0, askedAt: Number.NEGATIVE_INFINITY };
  /** As the repo server keeps an answer of a remote. */
  const ask = ({ noRevisionCache = false, revisionNotBefore = clock.now() - 180_000 }: ManifestRequest) => {
    if (!noRevisionCache && kept.askedAt >= revisionNotBefore) return kept;
    if (state.isAway)
      throw new CapstanError({ code: "REPOSITORY_UNREACHABLE", repository: "numbers", problem: "away" });
    state.asks += 1;
    kept = { head: state.head, askedAt: clock.now() };
    return kept;
  };
  const repo = repoServerOf({
    async generateManifests(request: ManifestRequest) {
      const { appName } = request;
      const { head, askedAt } = ask(request);
      const manifest = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: appName },
        data: { content: `${state.content}` },
      };
      return {
        manifests: [{ manifest, digest: canonicalJson(manifest) }],
        revision: `${head}`,
        askedAt,
        ...plainAnswer,
      };
    },
  });
  return { repo, state };
}

interface Place {
  world: SmallWorld;
  clock: StoppedClock;
  state: ReturnType<typeof createNumbers>["state"];
  /** Requests to the cluster are refused. */
  cluster: { isAway: boolean };
}

async function openPlace() {
  const clock = stoppedClock(Date.UTC(2030, 0, 1));
  const { repo, state } = createNumbers(clock);
  const cluster = { isAway: false };
  const world = await openSmallWorld({
    repo,
    clock,
    intercept: (request) => {
      if (!cluster.isAway || !["PATCH", "PUT", "POST"].includes(request.method)) return undefined;
      throw new CapstanError({ code: "UNAVAILABLE", what: "the cluster", problem: "away" });
    },
  });
  await settings(world, {});
  for (const name of names)
    await world.kube.create(sketchApplication({ name, repoURL: "https://git.test/numbers" }), {
      signal: timeLimit(),
    });
  return { world, clock, state, cluster, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

async function settings(world: SmallWorld, data: Record<string, string>): Promise<void> {
  const manifest = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "argocd-cm", namespace: "argocd" },
    data: {
      "timeout.reconciliation": `${intervalMs}ms`,
      "timeout.reconciliation.jitter": `${jitterMs}ms`,
      ...data,
    },
  };
  await world.kube.apply(manifest, { fieldManager: "test", force: true, signal: timeLimit() });
}

/** Time passes in small steps, and everything that it wakes is done. */
async function pass({ clock, world }: Place, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 5_000) {
    await clock.advance(Math.min(left, 5_000));
    await world.controller.idle();
  }
}

/**
 * What is due is under way. Time that passes in leaps may have passed by an answer that was on its way, which is then
 * taken for a later one: so much is left for that.
 */
const slackMs = 10_000;

async function assertNewest(place: Place): Promise<void> {
  const { world, state } = place;
  let last: unknown;
  let slackLeft = slackMs;
  await eventually(
    async () => {
      const apps = await readApplications(world.kube, timeLimit());
      last = apps;
      if (apps.every((app) => app.revision === `${state.head}` && isSettled(app))) return true;
      if (slackLeft > 0) await pass(place, 100);
      slackLeft -= 100;
      return undefined;
    },
    { signal: timeLimit(), describe: () => `not at ${state.head}: ${JSON.stringify(last)}` },
  );
}

type Event = (place: Place, name: string) => Promise<void>;

const events: Record<string, Event> = {
  refresh: ({ world }, name) => refresh(world, name),
  hardRefresh: ({ world }, name) => refresh(world, name, "hard"),
  async commit({ state }) {
    state.head += 1;
    state.content += 1;
  },
  async commitElsewhere({ state }) {
    state.head += 1;
  },
  async drift({ world }, name) {
    const body = { data: { content: "drifted" } };
    await world.kube
      .patch(configMapRef(name, name), { type: "merge", body }, { signal: timeLimit() })
      .catch(() => undefined);
  },
  settings: ({ world }, name) => settings(world, { "application.instanceLabelKey": `example.com/${name}` }),
  sync: ({ world }, name) => requestSync(world, name),
  restart: ({ world }) => world.restartController(),
  async repositoryAway(place) {
    place.state.isAway = true;
    await pass(place, 150_000);
    place.state.isAway = false;
  },
  async clusterAway(place) {
    await place.world.controller.idle();
    place.cluster.isAway = true;
    await pass(place, 150_000);
    place.cluster.isAway = false;
  },
  async skipped({ world }, name) {
    await annotate(world, name, "true");
    await settings(world, { "resource.customLabels": name });
    await world.controller.idle();
    await annotate(world, name, null);
  },
  pass: (place) => pass(place, 45_000),
  passLong: (place) => pass(place, 115_000),
};

async function annotate(world: SmallWorld, name: string, skip: string | null): Promise<void> {
  const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd", name };
  const body = { metadata: { annotations: { "argocd.argoproj.io/skip-reconcile": skip } } };
  await world.kube.patch(ref, { type: "merge", body }, { signal: timeLimit() });
}

const happening = fc.tuple(fc.constantFrom(...Object.keys(events)), fc.constantFrom(...names));

test("whatever happened before, a commit without a webhook is everywhere within interval and jitter", async () => {
  await using place = await openPlace();
  await assertNewest(place);
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 10 }), async (sequence) => {
      for (const [event, name] of sequence) await events[event]?.(place, name);
      // A retry after a failure may be as far away as this.
      await pass(place, 180_000);
      place.state.head += 1;
      await pass(place, intervalMs + jitterMs);
      await assertNewest(place);
    }),
    {
      numRuns: 12,
      endOnFailure: true,
      examples: [
        [
          [
            ["refresh", "one"],
            ["pass", "one"],
            ["refresh", "one"],
          ],
        ],
        [
          [
            ["drift", "three"],
            ["hardRefresh", "one"],
            ["sync", "two"],
            ["repositoryAway", "one"],
          ],
        ],
      ],
    },
  );
});

test("the remote is asked once in an interval for all, and all are at a new commit when the first one sees it", async () => {
  await using place = await openPlace();
  await assertNewest(place);
  const { state } = place;
  const before = state.asks;
  for (let turn = 0; turn < 10; turn += 1) {
    state.head += 1;
    await pass(place, intervalMs + jitterMs);
    await assertNewest(place);
  }
  const asks = state.asks - before;
  assert.ok(asks >= 10 && asks <= 13, `${asks} questions in 12 intervals`);
});

test("intervals and a restart that find nothing new write nothing, and what is written says when it was compared", async () => {
  await using place = await openPlace();
  const { world, state, clock } = place;
  await assertNewest(place);
  await pass(place, intervalMs + jitterMs);
  const before = world.requests.length;
  const looks = state.asks;
  await pass(place, 3 * (intervalMs + jitterMs));
  await world.restartController();
  await pass(place, intervalMs + jitterMs);
  assert.ok(state.asks - looks >= 4, `${state.asks - looks} questions to the remote`);
  const writes = world.requests.slice(before).filter(({ method }) => method !== "GET");
  assert.deepEqual(
    writes.map(({ method, url, body }) => `${method} ${url} ${body}`),
    [],
  );
  const comparedAt = async () => {
    const app = await readObject(world, applicationRef("one"));
    return Date.parse(Object(app?.status).reconciledAt);
  };
  const compared = await comparedAt();
  state.head += 1;
  await pass(place, intervalMs + jitterMs);
  await assertNewest(place);
  assert.ok((await comparedAt()) > compared);
  const asked = clock.now();
  await refresh(world, "one");
  await eventually(async () => (await comparedAt()) >= asked - 1_000 || undefined, {
    signal: timeLimit(),
    describe: () => "the refresh that was asked for does not show",
  });
});

test("of a commit that leaves it as it was an application takes the name over, and is compared no less for what changes beside it", async () => {
  await using place = await openPlace();
  const { world, state } = place;
  await assertNewest(place);
  await world.controller.idle();
  const learned = (level: string) =>
    world.log.filter((one) => one.level === level && one.facts.reason === "a newer commit was seen").length;
  state.head += 1;
  await refresh(world, "one");
  await assertNewest(place);
  await world.controller.idle();
  assert.deepEqual([learned("debug"), learned("info")], [2, 0]);
  state.head += 1;
  const liveContent = async () => JSON.stringify((await readObject(world, configMapRef("two", "two")))?.data);
  const before = await liveContent();
  await Promise.all([events.drift?.(place, "two"), refresh(world, "one")]);
  await assertNewest(place);
  await eventually(async () => (await liveContent()) === before || undefined, {
    signal: timeLimit(),
    describe: () => "the drift stayed",
  });
  await world.controller.idle();
  const compared = learned("info");
  state.head += 1;
  state.content += 1;
  await refresh(world, "one");
  await assertNewest(place);
  await world.controller.idle();
  assert.equal(await liveContent(), JSON.stringify({ content: "2" }));
  assert.equal(learned("info") - compared, 2);
});

test("an application that is to be skipped costs nothing when the settings change, and is compared afterwards", async () => {
  await using place = await openPlace();
  const { world, state } = place;
  await assertNewest(place);
  await annotate(world, "one", "true");
  await world.controller.idle();
  const runs = async () => {
    const metric = await world.metrics.getSingleMetric("workqueue_adds_total")?.get();
    return metric?.values.reduce((sum, { value }) => sum + value, 0) ?? 0;
  };
  const before = await runs();
  state.head += 1;
  await settings(world, { "application.instanceLabelKey": "example.com/app" });
  await eventually(async () => (await runs()) >= before + names.length || undefined, {
    signal: timeLimit(),
    describe: () => "the settings were not seen",
  });
  await world.controller.idle();
  assert.ok((await runs()) < before + 20, `${(await runs()) - before} pieces of work`);
  assert.equal((await readObject(world, configMapRef("one", "one")))?.data instanceof Object, true);
  const shown = await readApplications(world.kube, timeLimit());
  assert.equal(shown.find(({ name }) => name === "one")?.revision, "1");
  await annotate(world, "one", null);
  await pass(place, intervalMs + jitterMs);
  await assertNewest(place);
});
