import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { takeSteps, tellStep, traced, tracedFrom, traceparent } from "@capstan/flow";
import { eventually, realClock, startTraceReceiver } from "@capstan/testkit";
import { type OtlpFlagValues, readOtlp } from "./otlp-flags.ts";
import { openOtlpTraces } from "./otlp-traces.ts";

const silent = () => undefined;

function open(flags: OtlpFlagValues, warned: object[] = []) {
  const place = readOtlp(flags);
  assert.ok(place);
  const log = {
    debug: silent,
    info: silent,
    error: silent,
    warn: (facts: object) => void warned.push(facts),
  };
  return openOtlpTraces({ ...place, service: "s", version: "1", clock: realClock, log });
}

const done = async () => undefined;

test("a trace comes to the collector: one id, each step below what it is a step of, with the given headers and attributes", async () => {
  await using to = await startTraceReceiver();
  await using _traces = open({
    "otlp-address": to.url,
    "otlp-headers": ["X-Key=k=1"],
    "otlp-attrs": ["env:prod:1"],
  });
  let named: string | undefined;
  await tracedFrom(
    undefined,
    { name: "look", facts: { app: "argocd/shop", level: 2, none: undefined } },
    async () => {
      await Promise.all([
        traced({ name: "render" }, async () => {
          await turn();
          tellStep({ hit: true, share: -0.5 });
          named = traceparent();
        }),
        assert.rejects(traced({ name: "compare" }, () => Promise.reject(new Error("at https://u:p@host/x")))),
      ]);
    },
  );
  const root = await to.span(({ name }) => name === "look", "the root");
  const [render, compare] = ["render", "compare"].map((wanted) =>
    to.spans.find(({ name }) => name === wanted),
  );
  assert.ok(render && compare);
  assert.match(root.traceId, /^[0-9a-f]{32}$/);
  assert.equal(named, `00-${root.traceId}-${render.spanId}-01`);
  assert.deepEqual(root.facts, { app: "argocd/shop", level: 2 });
  assert.deepEqual(render.facts, { hit: true, share: -0.5 });
  assert.equal(root.parentSpanId, "");
  for (const { parentSpanId, traceId, fromMs, toMs } of [render, compare]) {
    assert.deepEqual([parentSpanId, traceId], [root.spanId, root.traceId]);
    assert.ok(fromMs >= root.fromMs - 1 && toMs <= root.toMs + 1 && toMs >= fromMs);
  }
  assert.deepEqual([root.problem, compare.problem], [undefined, "at https://host/x"]);
  assert.deepEqual(root.resource, { env: "prod:1", "service.name": "s", "service.version": "1" });
  assert.equal(to.headers[0]?.["x-key"], "k=1");
});

test("what is nobody's step is not followed, and nothing is where nobody asks for it", async () => {
  assert.equal(traceparent(), undefined);
  assert.equal(await tracedFrom(undefined, { name: "look" }, async () => traceparent()), undefined);
  await using to = await startTraceReceiver();
  {
    await using _traces = open({ "otlp-address": to.url });
    await traced({ name: "alone" }, done);
    await tracedFrom(undefined, { name: "look" }, done);
  }
  assert.deepEqual(
    to.spans.map(({ name }) => name),
    ["look"],
  );
});

test("who asked decides whether it is followed; what begins here is followed as often as the ratio says", async () => {
  await using to = await startTraceReceiver();
  const [trace, span] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
  {
    await using _traces = open({ "otlp-address": to.url, "otlp-sample-ratio": "0" });
    const inner = () => traced({ name: "inner" }, async () => traceparent());
    assert.match(
      (await tracedFrom(undefined, { name: "own" }, inner)) ?? "",
      /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/,
    );
    await tracedFrom(`00-${trace}-${span}-00`, { name: "left out" }, inner);
    await tracedFrom(`00-${trace}-${span}-01`, { name: "asked for" }, inner);
  }
  assert.deepEqual(to.spans.map(({ name, traceId }) => [name, traceId]).sort(), [
    ["asked for", trace],
    ["inner", trace],
  ]);
});

test("a trace that is named otherwise than W3C says begins a new one, however long the name is", async () => {
  await using to = await startTraceReceiver();
  const zeros = "0".repeat(32);
  const names = [
    "",
    "x",
    `00-${zeros}-b7ad6b7169203331-01`,
    `00-${"A".repeat(32)}-b7ad6b7169203331-01`,
    "0".repeat(9e6),
  ];
  {
    await using _traces = open({ "otlp-address": to.url });
    for (const name of names) await tracedFrom(name, { name: "look" }, done);
  }
  assert.equal(new Set(to.spans.map(({ traceId }) => traceId)).size, names.length);
  assert.ok(to.spans.every(({ parentSpanId }) => parentSpanId === ""));
});

test("long texts are cut, half a character is none, and of what another process tells only steps are taken", async () => {
  await using to = await startTraceReceiver();
  const ids = { traceId: "a".repeat(32), spanId: "b".repeat(16) };
  const told = {
    ...ids,
    name: "told",
    fromMs: 1_000,
    toMs: 900,
    facts: { big: `x${"\u{1F600}".repeat(1e6)}` },
  };
  const many = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`f${index}`, "x".repeat(5_000)]),
  );
  {
    await using _traces = open({ "otlp-address": to.url });
    takeSteps([told, { ...told, name: "many", facts: many, problem: `\ud800${"y".repeat(1e6)}` }]);
    takeSteps([
      null,
      {},
      { ...told, spanId: "0".repeat(16) },
      { ...told, toMs: Number.NaN },
      { ...told, fromMs: -1 },
    ]);
    takeSteps([
      { ...told, facts: { of: {} } },
      { ...told, parentSpanId: 1 },
      { ...told, name: 1 },
    ]);
    for (const none of [undefined, "x", { length: 9 }]) takeSteps(none);
    takeSteps(Array.from({ length: 100_000 }, () => ({ ...told, name: "flood", facts: {} })));
  }
  const [first, second] = to.spans;
  assert.deepEqual([first?.name, String(first?.facts.big).length, first?.toMs], ["told", 1_024, 1_000]);
  assert.ok(String(first?.facts.big).isWellFormed());
  assert.deepEqual(
    [second?.name, Object.keys(second?.facts ?? {}).length, second?.problem?.length],
    ["many", 32, 1_024],
  );
  assert.equal(to.spans.length, 2 + 1_024);
});

test("a collector that does not answer holds nobody up, and what waits for it is bounded by number and size", async () => {
  await using to = await startTraceReceiver({ answers: false });
  const facts = Object.fromEntries(
    Array.from({ length: 32 }, (_, index) => [`f${index}`, "x".repeat(1_024)]),
  );
  const before = process.memoryUsage().rss;
  await using _traces = open({ "otlp-address": to.url });
  for (let count = 0; count < 5_000; count += 1) await tracedFrom(undefined, { name: "big", facts }, done);
  await eventually(() => to.sizes[0], {
    signal: AbortSignal.timeout(60_000),
    describe: () => "nothing came",
  });
  assert.ok((to.sizes[0] ?? 0) < 2 ** 21 + 2 ** 16, `${to.sizes[0]} bytes at once`);
  assert.ok(process.memoryUsage().rss - before < 200 * 2 ** 20);
});

test("a collector that is away is said once, however often it is", async () => {
  const warned: object[] = [];
  const gone = await startTraceReceiver();
  await gone[Symbol.asyncDispose]();
  {
    await using _traces = open({ "otlp-address": gone.url }, warned);
    for (let count = 0; count < 3; count += 1) {
      for (let of = 0; of < 600; of += 1) await tracedFrom(undefined, { name: "look" }, done);
      await eventually(() => (warned.length > 0 ? true : undefined), {
        signal: AbortSignal.timeout(60_000),
        describe: () => "nobody was told",
      });
    }
  }
  assert.equal(warned.length, 1);
});

test("settings are read as Argo CD's; what cannot be read is refused, and no secret is in the refusal", () => {
  const url = (address: string, rest: OtlpFlagValues = {}) =>
    readOtlp({ "otlp-address": address, ...rest })?.url.href;
  assert.equal(readOtlp({}), undefined);
  assert.equal(readOtlp({ "otlp-address": "" }), undefined);
  assert.equal(url("otel:4317"), "grpc://otel:4317");
  assert.equal(url("otel:4317", { "otlp-insecure": false }), "grpcs://otel:4317");
  assert.equal(url("[::1]:4317"), "grpc://[::1]:4317");
  assert.equal(url("http://otel:4318"), "http://otel:4318/v1/traces");
  assert.equal(url("https://otel/otlp/"), "https://otel/otlp/v1/traces");
  assert.equal(url("https://otel/v1/traces"), "https://otel/v1/traces");
  for (const address of [
    "a b",
    "otel",
    "otel:99999",
    "otel:1/path",
    "https://me:secret@otel",
    "me:secret@otel:1",
  ])
    assert.throws(
      () => url(address),
      (error: Error) => /otlp-address/.test(error.message) && !/secret/.test(error.message),
    );
  const refused = (flags: OtlpFlagValues) => () => readOtlp({ "otlp-address": "otel:1", ...flags });
  assert.throws(refused({ "otlp-attrs": ["x"] }), /NAME:VALUE/);
  assert.throws(refused({ "otlp-headers": ["secret"] }), (error: Error) => !/secret/.test(error.message));
  assert.throws(refused({ "otlp-headers": ["a b=secret"] }), (error: Error) => !/secret/.test(error.message));
  assert.throws(refused({ "otlp-headers": ["a=sec\nret"] }), /otlp-headers/);
  for (const ratio of ["1.1", "-1", "x", "1e-3"])
    assert.throws(refused({ "otlp-sample-ratio": ratio }), /ratio/);
  assert.equal(readOtlp({ "otlp-address": "otel:1", "otlp-sample-ratio": ".25" })?.ratio, 0.25);
});
