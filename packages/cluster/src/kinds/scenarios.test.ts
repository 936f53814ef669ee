import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { applyMergePatch } from "@capstan/formats";
import { loadAll } from "js-yaml";
import { prepareForWrite } from "../objects/prepare.ts";
import { validateObject } from "../objects/validate-object.ts";
import { customRules, type KindRules } from "../registry/kind-rules.ts";
import { Registry } from "../registry/registry.ts";
import type { Served } from "../registry/served.ts";
import { serverSideApply, settleTimes, trackUpdate } from "../schema/apply.ts";
import { type ResolvedSchema, structuralSchema } from "../schema/catalog.ts";
import { decodeProblems } from "../schema/decode.ts";
import { isZero, withDefaults } from "../schema/defaults.ts";
import { isKubeObject, isObject, type JsonObject, objectAt, textAt } from "../schema/json.ts";
import { jsonPatch, strategicMergePatch } from "../schema/patch.ts";
import { pruneUnknown } from "../schema/prune.ts";
import { ApiError, type KubeObject, type ResourceInfo } from "../types.ts";
import { crdProblems } from "./apiextensions/crd-problems.ts";
import { builtinKinds } from "./builtin-kinds.ts";

/**
 * Each testdata/scenarios/*.yaml is a list of requests; the .json beside it holds the answers of a real
 * kube-apiserver v1.36.3 (tools/record-kube-fixtures.ts). The steps below are those of the registry.
 */
const folder = join(import.meta.dirname, "testdata/scenarios");

interface Kind {
  schema: ResolvedSchema;
  info: ResourceInfo;
  rules: KindRules;
  defaults: Served["defaults"];
}

const registry = new Registry(builtinKinds, []);

function asObject(value: unknown): KubeObject {
  assert.ok(isKubeObject(value), "an object with metadata");
  return value;
}

class SmallRegistry {
  live: KubeObject | undefined;
  #place = "";
  readonly #crds = new Map<string, KubeObject>();

  run(step: JsonObject): KubeObject {
    const about = isObject(step.on) ? step.on : step.body;
    const place = `${textAt(step, "resource")}/${textAt(about, "metadata", "name")}`;
    if (place !== this.#place) this.live = undefined;
    this.#place = place;
    const kind = this.#kind(textAt(about, "apiVersion"), textAt(step, "resource"));
    const before = this.live;
    const written = this.#merge(kind, step, before);
    const merged = prepareForWrite(kind, written, before);
    const problems = validateObject({ ...kind, object: merged, ...(before ? { previous: before } : {}) });
    if (kind.info.kind === "CustomResourceDefinition") problems.push(...crdProblems(merged));
    if (problems.length) throw invalid(kind.info, merged, problems);
    const settled = settleTimes(before, merged);
    if (kind.info.kind === "CustomResourceDefinition") this.#crds.set(settled.metadata.name ?? "", settled);
    if (step.dryRun !== true) this.live = settled;
    return settled;
  }

  #kind(apiVersion: string, resource: string): Kind {
    const [version = "", group = ""] = apiVersion.split("/").reverse();
    const served = registry.find(group, version, resource);
    if (served) return { ...served, schema: served.schema() };
    const crd = this.#crds.get(`${resource}.${group}`);
    assert.ok(crd, `${resource} of ${apiVersion} is served`);
    const schema = structuralSchema(crd, version);
    return { schema, info: infoOf(crd, version), rules: customRules, defaults: {} };
  }

  #merge(kind: Kind, step: JsonObject, live: KubeObject | undefined): KubeObject {
    const common = {
      schema: kind.schema,
      rules: kind.rules,
      manager: textAt(step, "manager") || "test",
      time: "2026-01-01T00:00:00Z",
      ...(step.subresource ? { subresource: textAt(step, "subresource") } : {}),
    };
    if (step.do === "apply") {
      const applied = asObject(step.body);
      const merged = serverSideApply({ ...common, live, applied, force: step.force === true });
      return this.#decode(kind, withServerFields(merged, live));
    }
    const sent = asObject(patched(kind.schema, step, live));
    const after = this.#decode(kind, withServerFields(keepOtherPart(step, sent, live), live));
    return trackUpdate({ ...common, before: live, after });
  }

  #decode(kind: Kind, object: KubeObject): KubeObject {
    const [problem] = decodeProblems(kind.schema, kind.info, { object });
    if (problem) throw problem;
    return withDefaults(kind.schema, kind.defaults, pruneUnknown(kind.schema, object).object);
  }
}

function infoOf(crd: KubeObject, version: string): ResourceInfo {
  return {
    group: textAt(crd, "spec", "group"),
    version,
    kind: textAt(crd, "spec", "names", "kind"),
    resource: textAt(crd, "spec", "names", "plural"),
    singular: textAt(crd, "spec", "names", "singular"),
    namespaced: textAt(crd, "spec", "scope") === "Namespaced",
    shortNames: [],
    categories: [],
    verbs: [],
    subresources: [],
    storageVersion: version,
  };
}

function patched(schema: ResolvedSchema, step: JsonObject, live: KubeObject | undefined): unknown {
  if (step.do === "json-patch") return jsonPatch(live, step.body);
  if (step.do === "merge-patch") return applyMergePatch(live, step.body);
  if (step.do === "strategic-patch") return strategicMergePatch(schema, live, step.body);
  return step.body;
}

/** A write to status keeps the rest, any other keeps the status. */
function keepOtherPart(step: JsonObject, sent: KubeObject, live: KubeObject | undefined): KubeObject {
  if (!live) {
    const { status: _status, ...rest } = sent;
    return rest;
  }
  if (step.subresource === "status") return { ...live, status: sent.status };
  return live.status === undefined ? sent : { ...sent, status: live.status };
}

function withServerFields(object: KubeObject, live: KubeObject | undefined): KubeObject {
  const uid = live?.metadata.uid ?? "UID";
  return { ...object, metadata: { ...object.metadata, uid } };
}

function invalid(
  info: ResourceInfo,
  object: KubeObject,
  causes: ReturnType<typeof validateObject>,
): ApiError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const kind = info.group ? `${info.kind}.${info.group}` : info.kind;
  return new ApiError(422, "Invalid", `${kind} "${object.metadata.name}" is invalid: ${list}`, { causes });
}

function neutral(object: KubeObject): unknown {
  const {
    uid: _u,
    resourceVersion: _r,
    creationTimestamp: _c,
    generation: _g,
    ...metadata
  } = object.metadata;
  const entries = metadata.managedFields?.map(({ time, ...rest }) => ({
    ...rest,
    timed: time !== undefined,
  }));
  const plain = { ...object, metadata: entries ? { ...metadata, managedFields: entries } : metadata };
  return JSON.parse(JSON.stringify(plain));
}

/** Controllers add these, out of the registry's sight. */
const protections = new Set(["kubernetes.io/pvc-protection", "kubernetes.io/pv-protection"]);

function withoutOthersWork(object: unknown): void {
  const metadata = objectAt(object, "metadata");
  if (metadata && Array.isArray(metadata.finalizers)) {
    metadata.finalizers = metadata.finalizers.filter((name) => !protections.has(name));
    if (isZero(metadata.finalizers)) delete metadata.finalizers;
  }
  const status = objectAt(object, "status");
  if (status) delete status.lastPhaseTransitionTime;
  if (isObject(object) && object.kind === "CustomResourceDefinition") delete object.status;
}

/** Addresses and node ports are the registry's to give. */
function withoutAllocations(object: unknown, sent: unknown): void {
  const spec = objectAt(object, "spec");
  if (textAt(object, "kind") !== "Service" || !spec || objectAt(sent, "spec", "clusterIP")) return;
  if (textAt(spec, "clusterIP") === "None" || textAt(sent, "spec", "clusterIP")) return;
  delete spec.clusterIP;
  delete spec.clusterIPs;
}

/** The server walks custom objects in random order, so several causes may come in any. */
function inAnyOrder(answer: Answer): Answer {
  const causes = answer.error?.causes;
  if (!answer.error || !Array.isArray(causes) || causes.length < 2 || answer.error.code !== 422)
    return answer;
  const sorted = causes.map((cause) => JSON.stringify(cause, ["field", "message", "reason"])).sort();
  return { error: { ...answer.error, message: "", causes: sorted } };
}

interface Answer {
  object?: JsonObject;
  error?: JsonObject;
  unchanged?: boolean;
}

function answerOf(registry: SmallRegistry, step: JsonObject): Answer {
  const before = registry.live;
  try {
    const object = registry.run(step);
    return { object: asRecord(neutral(object)), ...(object === before ? { unchanged: true } : {}) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, reason, message, details } = error;
    const causes = details?.causes ?? [];
    return { error: { code, reason, message, ...(causes.length ? { causes } : {}) } };
  }
}

function asRecord(value: unknown): JsonObject {
  assert.ok(isObject(value));
  return value;
}

for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml"))) {
  describe(file, () => {
    const steps = loadAll(readFileSync(join(folder, file), "utf8")).filter(isObject);
    const expected: Answer[] = JSON.parse(readFileSync(join(folder, file.replace(".yaml", ".json")), "utf8"));
    const registry = new SmallRegistry();
    for (const [index, step] of steps.entries())
      it(`step ${index}: ${step.do} ${step.resource} answers as kube-apiserver does`, () => {
        const answer = answerOf(registry, step);
        const wanted = expected[index] ?? {};
        withoutOthersWork(wanted.object);
        withoutOthersWork(answer.object);
        withoutAllocations(wanted.object, step.body);
        withoutAllocations(answer.object, step.body);
        assert.deepEqual(inAnyOrder(answer), inAnyOrder(wanted));
      });
  });
}
