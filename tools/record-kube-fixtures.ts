/**
 * Replays the scenarios of packages/cluster/src/kinds/testdata/scenarios/*.yaml against a real kube-apiserver
 * and writes its answers beside them. Each document of a file is one step on one object.
 *
 *   node tools/record-kube-fixtures.ts --server https://127.0.0.1:6443 --token T [--only NAME]
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { programFlags } from "@capstan/testkit/program-flags";
import { load, loadAll } from "js-yaml";
import { jsonPatch } from "../packages/cluster/src/schema/patch.ts";
import { isJson, type Json, list, member, text } from "./kube-schemas/json.ts";
import { type Call, call, type Server } from "./kube-schemas/server.ts";

const { values: flags } = programFlags({
  options: {
    server: { type: "string", default: "https://127.0.0.1:6443" },
    token: { type: "string", default: "" },
    only: { type: "string", default: "" },
  },
});
const testdata = join(import.meta.dirname, "../packages/cluster/src/kinds/testdata");
const folder = join(testdata, "scenarios");
const server: Server = { url: flags.server, token: flags.token, etcd: "" };

const contentTypes: Record<string, string> = {
  apply: "application/apply-patch+yaml",
  "json-patch": "application/json-patch+json",
  "merge-patch": "application/merge-patch+json",
  "strategic-patch": "application/strategic-merge-patch+json",
};

async function record(file: string): Promise<void> {
  const steps = loadAll(await readFile(join(folder, file), "utf8")).filter(isJson);
  const results: Json[] = [];
  let version: unknown;
  let path = "";
  const kept: string[] = [];
  for (const step of steps) {
    const made = requestOf(step);
    if (path && made.path !== path && !kept.includes(path)) await remove(path);
    path = made.path;
    if (step.keep === true) kept.push(path);
    const { status, body } = await callWhenServed(made.call);
    results.push(resultOf({ step, status, body, version }));
    if (status < 300 && step.dryRun !== true) version = member(body, "metadata", "resourceVersion");
  }
  for (const left of [path, ...kept]) await remove(left);
  await writeFile(join(folder, file.replace(".yaml", ".json")), `${JSON.stringify(results, null, 1)}\n`);
  console.log(`${file}: ${steps.length} steps`);
}

/** A new CRD is served a moment after it is created. */
async function callWhenServed(request: Call): Promise<{ status: number; body: unknown }> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const answer = await call(server, request);
    if (answer.status !== 404) return answer;
    await sleep(200);
  }
  return call(server, request);
}

async function remove(path: string): Promise<void> {
  const body = { propagationPolicy: "Background", gracePeriodSeconds: 0 };
  await call(server, { path, method: "DELETE", body });
  await call(server, {
    path,
    method: "PATCH",
    contentType: contentTypes["merge-patch"] ?? "",
    body: { metadata: { finalizers: null } },
  });
}

/** `on` says which object a patch is for; otherwise the body does. */
function requestOf(step: Json): { path: string; call: Call } {
  const body = step.body;
  const about = isJson(step.on) ? step.on : body;
  const apiVersion = text(member(about, "apiVersion"));
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const namespace = text(member(about, "metadata", "namespace"));
  const collection = `${root}${namespace ? `/namespaces/${namespace}` : ""}/${text(step.resource)}`;
  const path = `${collection}/${text(member(about, "metadata", "name"))}`;
  const query = new URLSearchParams({ fieldManager: text(step.manager) || "test" });
  if (step.force === true) query.set("force", "true");
  if (step.dryRun === true) query.set("dryRun", "All");
  if (step.do === "create") return { path, call: { path: `${collection}?${query}`, method: "POST", body } };
  const target = step.subresource ? `${path}/${text(step.subresource)}` : path;
  if (step.do === "update") return { path, call: { path: `${target}?${query}`, method: "PUT", body } };
  const contentType = contentTypes[text(step.do)] ?? "application/json";
  return { path, call: { path: `${target}?${query}`, method: "PATCH", body, contentType } };
}

function resultOf(input: { step: Json; status: number; body: unknown; version: unknown }): Json {
  const { status, body, version } = input;
  if (status >= 300) {
    const details = member(body, "details");
    const causes = list(member(details, "causes"));
    const error = {
      code: status,
      reason: text(member(body, "reason")),
      message: text(member(body, "message")),
    };
    return { error: causes.length ? { ...error, causes } : error };
  }
  const unchanged = version !== undefined && member(body, "metadata", "resourceVersion") === version;
  return { object: neutral(body), ...(unchanged ? { unchanged } : {}) };
}

/** Without what differs between two runs. */
function neutral(body: unknown): unknown {
  const uid = text(member(body, "metadata", "uid"));
  const whole: unknown = JSON.parse(JSON.stringify(body).replaceAll(uid || "(no uid)", "UID"));
  if (!isJson(whole) || !isJson(whole.metadata)) return whole;
  const { uid: _u, resourceVersion: _r, creationTimestamp: _c, generation: _g, ...metadata } = whole.metadata;
  const managedFields = list(metadata.managedFields).map((entry) => {
    const { time, ...rest } = isJson(entry) ? entry : {};
    return { ...rest, timed: time !== undefined };
  });
  return { ...whole, metadata: managedFields.length ? { ...metadata, managedFields } : metadata };
}

/** testdata/invalid: changes of one valid object, tried as a dry run; `update` ones against the stored object. */
async function recordInvalid(file: string): Promise<void> {
  const document = load(await readFile(join(testdata, "invalid", file), "utf8"));
  if (!isJson(document) || !isJson(document.base)) throw new Error(`${file} has no base`);
  const { base, resource } = document;
  const answers: Record<string, unknown[]> = { create: [], update: [] };
  for (const change of list(document.create)) {
    const body = changed(base, change);
    const { call: request } = requestOf({ do: "create", resource, on: base, body, dryRun: true });
    answers.create?.push(verdictOf(await call(server, request)));
  }
  if (document.update) {
    const made = requestOf({ do: "create", resource, body: base });
    await call(server, made.call);
    for (const change of list(document.update)) {
      const stored = (await call(server, { path: made.path })).body;
      const body = changed(isJson(stored) ? stored : base, change);
      const request = requestOf({ do: "update", resource, body, dryRun: true });
      answers.update?.push(verdictOf(await call(server, request.call)));
    }
    await remove(made.path);
  }
  await writeFile(
    join(testdata, "invalid", file.replace(".yaml", ".json")),
    `${JSON.stringify(answers, null, 1)}\n`,
  );
  console.log(`${file}: ${list(document.create).length + list(document.update).length} cases`);
}

function changed(base: Json, change: unknown): Json {
  const operations = Object.entries(isJson(change) ? change : {}).map(([path, value]) =>
    value === null ? { op: "remove", path } : { op: "add", path, value },
  );
  const result = jsonPatch(base, operations);
  return isJson(result) ? result : base;
}

function verdictOf({ status, body }: { status: number; body: unknown }): Json {
  if (status < 300) return { ok: true };
  const { error } = resultOf({ step: {}, status, body, version: undefined });
  return isJson(error) ? error : {};
}

for (const file of (await readdir(folder)).sort())
  if (file.endsWith(".yaml") && file.includes(flags.only)) await record(file);
for (const file of (await readdir(join(testdata, "invalid"))).sort())
  if (file.endsWith(".yaml") && `invalid/${file}`.includes(flags.only)) await recordInvalid(file);
