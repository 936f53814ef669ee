import assert from "node:assert/strict";
import { test } from "node:test";
import { createControlState } from "@capstan/kube";
import { eventually, realClock, sketchApplication } from "@capstan/testkit";
import { applicationRef, openSmallWorld } from "@capstan/testkit/worlds";
import { createApplicationFeed } from "./application-feed.ts";

const signal = () => AbortSignal.timeout(100_000);
const log = { info: () => undefined, warn: () => undefined };

test("who comes from another server with what has ended before this one listed is told that it is stale", async () => {
  await using opened = new AsyncDisposableStack();
  const world = opened.use(await openSmallWorld());
  const { kube, clusters, settings, scripts } = world;
  const open = async () => {
    const live = opened.use(createControlState({ client: kube, isCompact: true, clock: realClock, log }));
    await live.ready(signal());
    const needs = { live, clusters, settings, scripts, clock: realClock, controlNamespace: "argocd" };
    const feed = createApplicationFeed(needs);
    opened.defer(() => feed.close());
    return feed;
  };
  for (const name of ["first", "second"])
    await kube.create(sketchApplication({ name, repoURL: "https://git.invalid/absent.git" }), {
      signal: signal(),
    });
  const former = (await open()).newest();
  await kube.delete(applicationRef("first"), { signal: signal() });
  const feed = await open();
  assert.equal(feed.deletedSince(former), undefined);
  const own = feed.newest();
  assert.deepEqual(feed.deletedSince(own), []);
  await kube.delete(applicationRef("second"), { signal: signal() });
  const ended = await eventually(
    () => {
      const found = feed.deletedSince(own) ?? [];
      return found.length > 0 ? found : undefined;
    },
    { signal: signal(), describe: () => "no end was told" },
  );
  assert.deepEqual(
    ended.map(({ type, application }) => [type, application.metadata.name]),
    [["DELETED", "second"]],
  );
});
