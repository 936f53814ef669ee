import { isManifest, type Manifest } from "@capstan/model";
import type { ExplainedRender } from "@capstan/wire";
import { toYaml } from "../../parts/code/to-yaml.ts";

export type Stage = ExplainedRender["stages"][number];

/** An object that a stage added, changed or removed. */
export interface ObjectChange {
  readonly key: string;
  readonly title: string;
  readonly before: string;
  readonly after: string;
}

export interface StageChanges {
  readonly stage: Stage;
  readonly objects: readonly ObjectChange[];
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** After the stage. */
  readonly total: number;
}

/** What each stage did to what the stage before it left. */
export function stageChanges(stages: readonly Stage[]): StageChanges[] {
  let before: StageObjects = new Map();
  return stages.map((stage) => {
    const after = stageObjects(stage.manifests);
    const objects = objectChanges(before, after);
    before = after;
    return {
      stage,
      objects,
      added: objects.filter((one) => one.before === "").length,
      changed: objects.filter((one) => one.before !== "" && one.after !== "").length,
      removed: objects.filter((one) => one.after === "").length,
      total: after.size,
    };
  });
}

/** By what names them. */
export type StageObjects = ReadonlyMap<string, { readonly title: string; readonly text: string }>;

export function objectChanges(before: StageObjects, after: StageObjects): ObjectChange[] {
  const objects: ObjectChange[] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [left, right] = [before.get(key), after.get(key)];
    if (left?.text === right?.text) continue;
    const title = right?.title ?? left?.title ?? key;
    objects.push({ key, title, before: left?.text ?? "", after: right?.text ?? "" });
  }
  return objects;
}

export function stageObjects(manifests: readonly string[]): StageObjects {
  const found = new Map<string, { title: string; text: string }>();
  for (const text of manifests) {
    const manifest: unknown = JSON.parse(text);
    if (!isManifest(manifest)) continue;
    const key = keyOf(manifest);
    const title = `${manifest.kind} ${manifest.metadata.name ?? manifest.metadata.generateName ?? ""}`;
    found.set(found.has(key) ? `${key} ${found.size}` : key, { title, text: toYaml(manifest) });
  }
  return found;
}

function keyOf({ apiVersion, kind, metadata }: Manifest): string {
  return [apiVersion, kind, metadata.namespace ?? "", metadata.name ?? ""].join("/");
}

/** The parts of a render's time that took any, in their order. */
export function timeParts({ timings, stages }: ExplainedRender): { name: string; ms: number }[] {
  const around = [
    { name: "waiting", ms: timings.queueMs },
    { name: "fetching", ms: timings.fetchMs },
    { name: "choosing", ms: timings.chooseMs },
    { name: "transfer", ms: timings.transferMs },
  ];
  return [...around, ...stages.map(({ name, ms }) => ({ name, ms }))].filter(({ ms }) => ms >= 0.5);
}
