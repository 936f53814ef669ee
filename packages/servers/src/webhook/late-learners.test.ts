import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application } from "@capstan/model";
import { LateLearners } from "./late-learners.ts";
import { whoLooks } from "./refresh-applications.ts";

const url = "https://git.test/apps";

function app(
  name: string,
  {
    revision = "old",
    targetRevision = "main",
    status = "Synced",
    resourceVersion = "1",
    isAsked = false,
  } = {},
): Application {
  const annotations = isAsked ? { "argocd.argoproj.io/refresh": "normal" } : {};
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace: "argocd", resourceVersion, annotations },
    spec: { project: "default", source: { repoURL: url, path: name, targetRevision }, destination: {} },
    status: { sync: { status: status === "Unknown" ? "Unknown" : "Synced", revision } },
  };
}

const names = (apps: readonly Application[]) => apps.map(({ metadata }) => metadata.name);

/** Learners whose state is `at` each time they are looked at; the last stays. */
function learnersOf(...at: readonly (readonly Application[])[]) {
  const refreshed: string[] = [];
  let looks = 0;
  let now = 0;
  const learners = new LateLearners({
    applications: () => at[Math.min(looks++, at.length - 1)] ?? [],
    refresh: async (apps) => void refreshed.push(...names(apps)),
    clock: {
      now: () => now,
      async sleep(ms, signal) {
        signal?.throwIfAborted();
        now += ms;
      },
    },
    signal: new AbortController().signal,
  });
  return { learners, refreshed, looks: () => looks };
}

test("of those that read no changed file one looks where nobody does who follows the same", () => {
  const rest = ["b", "c", "d", "e"].map((name) => app(name, name > "c" ? { targetRevision: "other" } : {}));
  const { asked, told } = whoLooks({ first: [app("a")], rest });
  assert.deepEqual(
    [names(asked), names(told)],
    [
      ["a", "d"],
      ["b", "c", "e"],
    ],
  );
  const none = whoLooks({ first: [], rest });
  assert.deepEqual(
    [names(none.asked), names(none.told)],
    [
      ["b", "d"],
      ["c", "e"],
    ],
  );
});

test("who learns of the commit is not asked to look; who has not a while after the last one did is", async () => {
  const [a, b, c] = [app("a"), app("b"), app("c")];
  const [a2, b2] = [app("a", { revision: "new" }), app("b", { revision: "new" })];
  const { learners, refreshed, looks } = learnersOf([a2, b, c], [a2, b2, c], [b2, c, app("d")]);
  learners.follow("main", { apps: [a, b, c], asked: [], revision: "new" });
  await learners.idle();
  assert.deepEqual(refreshed, ["c"]);
  assert.ok(looks() > 3, "it was given time");
});

test("where the sender does not say which commit, it is what the one that was asked has found", async () => {
  const [leader, b, c] = [app("leader"), app("b"), app("c")];
  const asked = app("leader", { resourceVersion: "2", isAsked: true });
  const answered = app("leader", { resourceVersion: "3", revision: "new" });
  const [b2, c2] = [app("b", { revision: "new" }), app("c", { revision: "new" })];
  const follow = { apps: [b, c], asked: [leader], revision: undefined };
  const all = learnersOf([leader, b, c], [asked, b, c], [answered, b2, c], [answered, b2, c2]);
  all.learners.follow("main", follow);
  await all.learners.idle();
  assert.deepEqual([all.refreshed, all.looks()], [[], 4]);
  const late = learnersOf([asked, b, c], [answered, b2, c]);
  late.learners.follow("main", follow);
  await late.learners.idle();
  assert.deepEqual(late.refreshed, ["c"]);
});

test("while the one that was asked is at it nobody else is, for as long as a slow fetch takes", async () => {
  const [leader, b] = [app("leader"), app("b")];
  const asked = app("leader", { resourceVersion: "2", isAsked: true });
  const answered = app("leader", { resourceVersion: "3", revision: "new" });
  const follow = { apps: [b], asked: [leader], revision: "new" };
  const atIt = Array.from({ length: 8 }, () => [asked, b]);
  const slow = learnersOf(...atIt, [answered, b], [answered, app("b", { revision: "new" })]);
  slow.learners.follow("main", follow);
  await slow.learners.idle();
  assert.deepEqual(slow.refreshed, []);
  const stuck = learnersOf([asked, b]);
  stuck.learners.follow("main", follow);
  await stuck.learners.idle();
  assert.deepEqual(stuck.refreshed, ["b"]);
});

test("where the one that was asked fails, or finds what others follow, they are asked", async () => {
  const other = app("other", { targetRevision: "stable" });
  const failed = app("leader", { resourceVersion: "3", status: "Unknown" });
  const { learners, refreshed } = learnersOf([failed, app("b"), other]);
  learners.follow("main", { apps: [app("b"), other], asked: [app("leader")], revision: undefined });
  await learners.idle();
  assert.deepEqual(refreshed, ["b", "other"]);
});

test("a newer push of the same ref stands in for the older one", async () => {
  const { learners, refreshed } = learnersOf([app("a", { revision: "newer" })]);
  learners.follow("main", { apps: [app("a")], asked: [], revision: "new" });
  learners.follow("main", { apps: [app("a")], asked: [], revision: "newer" });
  await learners.idle();
  assert.deepEqual(refreshed, []);
});
