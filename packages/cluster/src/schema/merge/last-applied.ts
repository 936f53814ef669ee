import { parseBoundedJson } from "@capstan/formats";
import type { KubeObject } from "../../types.ts";
import { isObject, objectAt, sortedKeys, textAt } from "../json.ts";
import type { Atom } from "./atom.ts";
import { fieldsOf } from "./collect.ts";
import { compareValues } from "./compare.ts";
import { differenceOf, type FieldSet, unionOf } from "./field-set.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Fields that client-side apply wrote and nobody changed since: managedfields/internal/lastappliedmanager.go. */
export function lastAppliedFields(atom: Atom, live: KubeObject | undefined): FieldSet | undefined {
  const text = live?.metadata.annotations?.[lastApplied];
  if (!live || !text) return undefined;
  const written = parseObject(text);
  if (!written || textAt(written, "apiVersion") !== live.apiVersion) return undefined;
  const { modified, added, removed } = compareValues(atom, written, live);
  return differenceOf(fieldsOf(atom, written), unionOf(modified, added, removed));
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parseBoundedJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** kubectl's own annotation follows what kubectl applies: managedfields/internal/lastappliedupdater.go. */
export function syncLastApplied(result: KubeObject, applied: KubeObject): void {
  const annotations = result.metadata.annotations;
  if (!annotations?.[lastApplied]) return;
  const { [lastApplied]: _old, ...others } = objectAt(applied, "metadata", "annotations") ?? {};
  const kept = Object.keys(others).length ? { annotations: others } : {};
  const { annotations: _all, ...metadata } = applied.metadata;
  const written = `${JSON.stringify(sortedKeys({ ...applied, metadata: { ...metadata, ...kept } }))}\n`;
  result.metadata = { ...result.metadata, annotations: { ...annotations, [lastApplied]: written } };
}
