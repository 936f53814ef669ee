import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { isSettled, startCapstan, untilApplication } from "@capstan/testkit";
import { load } from "js-yaml";
import { readExpression } from "./read-expression.ts";

const root = join(import.meta.dirname, "..", "..");
const deployed = join(root, "deploy", "observe");

/** By name: the labels that a running Capstan puts on it; empty where it has counted nothing yet. */
const told = new Map<string, Set<string>>();
/** By name: the labels that docs/observing.md says. */
const described = new Map<string, Set<string>>();

before(async () => {
  await using capstan = await startCapstan({ flags: ["--metrics-port", "0"] });
  await untilApplication(capstan.kube, "plain", isSettled);
  const url = /\S+\/metrics/.exec(capstan.output())?.[0] ?? assert.fail(capstan.output());
  const text = await (await fetch(url, { signal: AbortSignal.timeout(30_000) })).text();
  for (const [, name = ""] of text.matchAll(/^# TYPE (\S+)/gm)) told.set(name, new Set());
  for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)\{(.*)\} /gm))
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g))
      if (label !== "le") told.get(baseOf(name))?.add(label);
  const page = await readFile(join(root, "docs", "observing.md"), "utf8");
  for (const [, name = "", labels = ""] of page.matchAll(
    /^\| `(\w+)` \| (?:counter|gauge|histogram) \| (.*?) \|/gm,
  ))
    described.set(name, new Set([...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label)));
});

/** Of a histogram's parts, the histogram. */
function baseOf(name: string): string {
  const base = name.replace(/_(bucket|sum|count)$/, "");
  return told.has(base) ? base : name;
}

const isOwn = (name: string): boolean => !/^(process|nodejs)_/.test(name);

test("docs/observing.md lists what is told, with its labels", () => {
  assert.deepEqual([...described.keys()].sort(), [...told.keys()].filter(isOwn).sort());
  for (const [name, labels] of told)
    if (isOwn(name) && labels.size > 0) assert.deepEqual(described.get(name), labels, name);
});

async function expressionsOf(file: string): Promise<[string, string][]> {
  const found: [string, string][] = [];
  const walk = (value: unknown, where: string): void => {
    if (Array.isArray(value)) for (const one of value) walk(one, where);
    if (!isRecord(value)) return;
    const { expr, alert, title = alert ?? where } = value;
    if (typeof expr === "string") found.push([`${file}: ${title}`, expr]);
    for (const one of Object.values(value)) walk(one, String(title));
  };
  walk(load(await readFile(join(deployed, file), "utf8")), "");
  return found;
}

test("dashboards and alerts ask for nothing else", async () => {
  const dashboards = (await readdir(join(deployed, "dashboards"))).map((name) => `dashboards/${name}`);
  const added = ["job", "instance", "le"];
  for (const file of [...dashboards, "prometheus-rule.yaml"]) {
    const expressions = await expressionsOf(file);
    assert.ok(expressions.length > 5, file);
    for (const [where, expression] of expressions) {
      const { metrics, labels } = readExpression(expression);
      const names = metrics.map(baseOf);
      const known = new Set([...added, ...names.flatMap((name) => [...(described.get(name) ?? [])])]);
      for (const name of names) assert.ok(told.has(name), `${where}: no metric ${name}`);
      for (const label of labels) assert.ok(known.has(label), `${where}: no label ${label}`);
    }
  }
});

test("each alert stands in docs/observing.md", async () => {
  const rules = await readFile(join(deployed, "prometheus-rule.yaml"), "utf8");
  const page = await readFile(join(root, "docs", "observing.md"), "utf8");
  const names = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name).sort();
  assert.deepEqual(names(page, /^\| `(Capstan\w+)` \|/gm), names(rules, /alert: (\w+)/g));
});
