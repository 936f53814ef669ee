import assert from "node:assert/strict";
import { test } from "node:test";
import { configMap, failsWith, noSignal, StandingClock, startWorld } from "@capstan/testkit/render-world";

const minuteMs = 60_000;

test("a kept answer counts for as long as the one who asks says, and no longer than the server keeps it", async () => {
  const clock = new StandingClock();
  await using world = await startWorld({ clock });
  const { repository, server } = world;
  const start = clock.now();
  const first = repository.commit({ "a.yaml": configMap("a") });
  const resolve = (notBeforeMs?: number) =>
    server.resolveRevision(
      {
        ...world.request({}),
        ...(notBeforeMs === undefined ? {} : { revisionNotBefore: start + notBeforeMs }),
      },
      noSignal,
    );
  assert.deepEqual(await resolve(), {
    revision: first,
    ambiguous: `main (${first})`,
    askedAt: start,
  });
  const second = repository.commit({ "a.yaml": configMap("b") });
  clock.pass(minuteMs);
  assert.equal((await resolve()).revision, first);
  assert.equal((await resolve(0)).revision, first);
  assert.equal((await resolve(1)).revision, second);
  assert.equal((await resolve(1)).askedAt, start + minuteMs);
  const third = repository.commit({ "a.yaml": configMap("c") });
  clock.pass(3 * minuteMs - 1);
  assert.equal((await resolve(0)).revision, second);
  clock.pass(1);
  assert.equal((await resolve(0)).revision, third);
});

test("a branch that did not exist is found some seconds after it was pushed", async () => {
  const clock = new StandingClock();
  await using world = await startWorld({ clock });
  const { repository, server } = world;
  const revision = repository.commit({ "a.yaml": configMap("a") });
  const resolve = () => server.resolveRevision(world.request({ targetRevision: "later" }), noSignal);
  await assert.rejects(resolve(), failsWith({ code: "REVISION_MISSING" }));
  repository.git("branch", "later");
  await assert.rejects(resolve(), failsWith({ code: "REVISION_MISSING" }), "so soon the remote is not asked");
  clock.pass(5_000);
  assert.equal((await resolve()).revision, revision);
});

test("who asks for the newest is not answered by a question of before, and shares the next one", async () => {
  const clock = new StandingClock();
  await using world = await startWorld({ clock });
  world.repository.commit({ "a.yaml": configMap("a") });
  const earlier = world.server.resolveRevision(world.request({}), noSignal);
  const second = world.repository.commit({ "a.yaml": configMap("b") });
  clock.pass(1);
  const newest = { ...world.request({}), noRevisionCache: true };
  const answers = await Promise.all([1, 2, 3].map(() => world.server.resolveRevision(newest, noSignal)));
  await earlier;
  for (const { revision, askedAt } of answers) {
    assert.equal(revision, second);
    assert.equal(askedAt, clock.now());
  }
});
