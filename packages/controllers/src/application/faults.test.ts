/** What the API server refuses in the middle of a sync passes: the sync is tried again, and nothing goes that should stay. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { KubeRequest, KubeResponse } from "@capstan/kube";
import {
  configMapText,
  createGitRepository,
  deploymentText,
  isSettled,
  refusal,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import { configMapRef, openSmallWorld, readObject, refresh, type SmallWorld } from "@capstan/testkit/worlds";

let world: SmallWorld;
let fault: { left: number; applies(request: KubeRequest): boolean; answer(): KubeResponse } | undefined;

before(async () => {
  world = await openSmallWorld({
    controller: { waveDelayMs: 10 },
    intercept: (request) => {
      if (!fault || fault.left === 0 || !fault.applies(request)) return undefined;
      fault.left -= 1;
      return Promise.resolve(fault.answer());
    },
  });
});
after(() => world[Symbol.asyncDispose]());

const ofObjects = ({ method, url }: KubeRequest): boolean =>
  method === "PATCH" && /\/namespaces\/fault-\d+\//.test(url) && !url.includes("dryRun");
const ofStatus = ({ method, url, body }: KubeRequest): boolean =>
  method === "PATCH" && /\/applications\/fault-\d+/.test(url) && (body ?? "").includes("operationState");
const ofPrunes = ({ method, url }: KubeRequest): boolean =>
  method === "DELETE" && /\/configmaps\/gone/.test(url);

const faults = [
  {
    name: "500 to what is applied",
    applies: ofObjects,
    answer: refusal(500, "InternalError", "etcdserver: request timed out"),
  },
  {
    name: "429 to what is applied",
    applies: ofObjects,
    answer: refusal(429, "TooManyRequests", "too many requests"),
  },
  {
    name: "409 to what is applied",
    applies: ofObjects,
    answer: refusal(409, "Conflict", "the object has been modified"),
  },
  {
    name: "a quota that is full for a while",
    applies: ofObjects,
    answer: refusal(403, "Forbidden", "exceeded quota: small, requested: count/configmaps=1"),
  },
  {
    name: "a webhook that denies for a while",
    applies: ofObjects,
    answer: refusal(400, "BadRequest", 'admission webhook "judge.example" denied the request: not now'),
  },
  {
    name: "500 to the status",
    applies: ofStatus,
    answer: refusal(500, "InternalError", "etcdserver: leader changed"),
  },
  {
    name: "409 to the status",
    applies: ofStatus,
    answer: refusal(409, "Conflict", "the object has been modified"),
  },
  {
    name: "429 to the status",
    applies: ofStatus,
    answer: refusal(429, "TooManyRequests", "too many requests"),
  },
  {
    name: "500 to a prune",
    applies: ofPrunes,
    answer: refusal(500, "InternalError", "etcdserver: request timed out"),
  },
];

for (const [index, { name: what, applies, answer }] of faults.entries())
  test(`after ${what} the sync comes to its end`, async () => {
    const name = `fault-${index}`;
    await using git = await createGitRepository({
      "app/kept.yaml": configMapText("kept"),
      "app/gone.yaml": configMapText("gone"),
      "app/web.yaml": deploymentText("web"),
    });
    const retry = { limit: 5, backoff: { duration: "1s", factor: 1, maxDuration: "1s" } };
    const syncPolicy = { automated: { prune: true }, syncOptions: ["CreateNamespace=true"], retry };
    const app = sketchApplication({ name, repoURL: git.url, path: "app", syncPolicy });
    await world.kube.create(app, { signal: AbortSignal.timeout(100_000) });
    await untilApplication(world.kube, name, isSettled);
    const kept = await readObject(world, configMapRef(name, "kept"));
    fault = { left: 2, applies, answer };
    const revision = await git.commit({
      "app/kept.yaml": configMapText("kept", "other"),
      "app/gone.yaml": undefined,
      "app/new.yaml": configMapText("new"),
    });
    await refresh(world, name);
    await untilApplication(
      world.kube,
      name,
      (view) => isSettled(view) && view.revision === revision && view.phase === "Succeeded",
    );
    assert.equal(fault.left, 0, "the fault was met");
    fault = undefined;
    const now = await readObject(world, configMapRef(name, "kept"));
    assert.equal(now?.metadata.uid, kept?.metadata.uid);
    assert.deepEqual(now?.data, { key: "other" });
    assert.equal(await readObject(world, configMapRef(name, "gone")), undefined);
    assert.ok(await readObject(world, configMapRef(name, "new")));
  });
