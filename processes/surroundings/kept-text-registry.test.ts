import assert from "node:assert/strict";
import { test } from "node:test";
import { Counter, Gauge, Histogram, Registry, Summary } from "prom-client";
import { KeptTextRegistry } from "./kept-text-registry.ts";

function fill(registry: Registry): { counter: Counter; gauge: Gauge } {
  const registers = [registry];
  const labelNames = ["name", "path"];
  const counter = new Counter({
    name: "made_total",
    help: 'of "all" \\ kinds\nwritten',
    labelNames,
    registers,
  });
  counter.inc({ name: 'a "quoted" \\ one\n', path: "x" });
  counter.inc({ path: "1", name: "another" }, 2.5);
  const gauge = new Gauge({ name: "stands", help: "now", labelNames, registers });
  gauge.set({ name: "up" }, Number.POSITIVE_INFINITY);
  new Gauge({ name: "empty", help: "without a row", labelNames, registers });
  new Gauge({ name: "plain", help: "without labels", registers }).set(-3e21);
  new Histogram({ name: "took", help: "seconds", labelNames, registers, buckets: [0.5, 1] }).observe(
    { name: "a", path: "b" },
    0.7,
  );
  new Summary({ name: "size", help: "bytes", labelNames, registers }).observe({ name: "a" }, 7);
  return { counter, gauge };
}

/** The labels of a histogram's rows come in another order, which says nothing. */
const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) =>
      line.replace(/\{(.*)\}/, (_all, labels: string) => `{${labels.split(",").sort().join(",")}}`),
    );

test("what is told is what prom-client tells, the first time and when its text is kept", async () => {
  const [ours, theirs] = [new KeptTextRegistry(), new Registry()];
  const both = [fill(ours), fill(theirs)];
  assert.deepEqual(linesOf(await ours.metrics()), linesOf(await theirs.metrics()));
  for (const { counter, gauge } of both) {
    counter.inc({ path: "1", name: "another" });
    gauge.reset();
    gauge.set({ name: "down" }, 0);
  }
  const text = await ours.metrics();
  assert.deepEqual(linesOf(text), linesOf(await theirs.metrics()));
  assert.match(text, /^made_total\{path="1",name="another"\} 3.5$/m);
});

test("what is no number is told as the text form wants it", async () => {
  const registry = new KeptTextRegistry();
  new Gauge({ name: "one", help: "h", registers: [registry] }).set(Number.NaN);
  assert.match(await registry.metrics(), /^one NaN$/m);
});
