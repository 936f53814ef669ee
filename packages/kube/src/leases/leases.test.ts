import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, realClock } from "@capstan/testkit";
import { openSmallWorld, type SmallWorld } from "@capstan/testkit/worlds";
import { leadInTurn } from "./leadership.ts";
import { Membership } from "./membership.ts";

const never = new AbortController().signal;
const namespace = "default";
const log = { info: () => undefined, warn: () => undefined };
/** Eight times as fast. */
const fast = 8;
const clock = {
  now: () => Date.now(),
  sleep: (ms: number, signal: AbortSignal) => realClock.sleep(ms / fast, signal),
};
const monotonic = () => performance.now() * fast;
const soon = (ready: () => boolean) =>
  eventually(() => ready() || undefined, {
    signal: AbortSignal.timeout(60_000),
    describe: () => "it does not come",
  });

/** A process whose requests stop without a word where `hangs` says so. */
function processOf({ kube }: SmallWorld, identity: string, { skewMs = 0 } = {}) {
  const state = { hangs: false };
  const client = new Proxy(kube, {
    get(target, name, receiver) {
      if (state.hangs) return () => Promise.reject(new Error("the API server is away"));
      return Reflect.get(target, name, receiver);
    },
  });
  const own = { ...clock, now: () => Date.now() + skewMs };
  return { state, input: { client, namespace, identity, clock: own, monotonic, log } };
}

test("members share keys out: who joins gets his, who leaves or is silent leaves his to the others, whatever his clock says", async () => {
  await using world = await openSmallWorld();
  await using opened = new AsyncDisposableStack();
  const processes = ["a", "b", "c"].map((name, index) =>
    processOf(world, name, { skewMs: index * 86_400_000 }),
  );
  const join = ({ input }: (typeof processes)[number]) => Membership.join({ ...input, group: "work" }, never);
  const members = await Promise.all(processes.map(async (one) => opened.use(await join(one))));
  const keys = Array.from({ length: 60 }, (_, index) => `argocd/app-${index}`);
  const owners = (key: string) => members.filter((one) => one.owns(key)).map(({ identity }) => identity);
  await soon(
    () =>
      keys.every((key) => owners(key).length === 1) &&
      members.every((one) => keys.some((key) => one.owns(key))),
  );
  const [a, , c] = members;
  const [, , silent] = processes;
  assert.ok(a && c && silent);
  const [was, held] = [c.identity, c.signal];
  silent.state.hangs = true;
  await soon(() => !c.isCurrent);
  assert.deepEqual(
    keys.filter((key) => c.owns(key)),
    [],
    "it begins nothing any more",
  );
  assert.ok(a.isLive(was), "the others wait longer than it does itself");
  await soon(() => !a.isLive(was) && keys.every((key) => owners(key).length === 1));
  silent.state.hangs = false;
  await soon(() => keys.some((key) => c.owns(key)) && keys.every((key) => owners(key).length === 1));
  assert.ok(held.aborted, "what it had begun is another one's");
  assert.notEqual(c.identity, was, "it comes back as another member");
  await c[Symbol.asyncDispose]();
  await soon(() => keys.every((key) => owners(key).length === 1 && !owners(key).includes(c.identity)));
});

test("one that came after the last look may be at work; one that was looked for and has no Lease is gone", async () => {
  await using world = await openSmallWorld();
  await using opened = new AsyncDisposableStack();
  const join = async (name: string) =>
    opened.use(await Membership.join({ ...processOf(world, name).input, group: "work" }, never));
  const a = await join("a");
  let told = 0;
  a.onChange(() => {
    told += 1;
  });
  assert.ok(a.isLive("nobody"), "nobody has looked for it");
  await soon(() => told > 0);
  assert.ok(!a.isLive("nobody"));
  const b = await join("b");
  assert.ok(a.isLive(b.identity));
  assert.ok(!a.isLive("x".repeat(300)), "no Lease has such a name");
});

test("one leads at a time: another follows when it gives the Lease back, and when it is silent; never two", async () => {
  await using world = await openSmallWorld();
  const leading = new Set<string>();
  const seen: string[] = [];
  let most = 0;
  const run = (name: string) => {
    const { state, input } = processOf(world, name);
    const lead = async (signal: AbortSignal): Promise<AsyncDisposable> => {
      leading.add(name);
      seen.push(name);
      most = Math.max(most, leading.size);
      signal.addEventListener("abort", () => leading.delete(name), { once: true });
      return { [Symbol.asyncDispose]: async () => void leading.delete(name) };
    };
    return { state, name, end: leadInTurn({ ...input, name: "turn", lead }) };
  };
  const all = ["a", "b", "c"].map(run);
  await soon(() => leading.size === 1);
  const first = all.find(({ name }) => leading.has(name));
  assert.ok(first);
  await first.end[Symbol.asyncDispose]();
  await soon(() => leading.size === 1 && !leading.has(first.name));
  const second = all.find(({ name }) => leading.has(name));
  assert.ok(second);
  second.state.hangs = true;
  await soon(() => leading.size === 1 && !leading.has(second.name));
  assert.equal(most, 1);
  assert.equal(seen.length, 3);
  for (const one of all) await one.end[Symbol.asyncDispose]();
});
