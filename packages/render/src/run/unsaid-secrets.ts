import { BoundedMap } from "@capstan/flow";
import { canonicalJson, isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import type { GeneratedManifest, Log, Plugin } from "@capstan/plugin-kit";
import type { RenderNote } from "@capstan/wire";
import { markSecrets } from "./mask-values.ts";

/** Tells an application's owner something of a run that went well. */
export type TakeNote = (text: string, reason?: RenderNote["reason"]) => void;

interface Made {
  readonly plugin: Plugin;
  readonly appName: string;
  readonly manifests: readonly GeneratedManifest[];
  /** What the plugin was given: Secrets that it left as they were are others'. */
  readonly before: readonly GeneratedManifest[];
  readonly log: Log;
  readonly note: TakeNote;
}

const maxTold = 10_000;
/** What is nested deeper is not looked at here; on a disk it is kept nowhere (cache/holds-secret.ts). */
const maxDepth = 200;
/** Shorter values are found where they are a whole text, and not within other words. */
const minPartLength = 8;
const minLength = 4;
/** Texts times characters that are searched: beyond it every text counts as secret. */
const maxSearched = 2 ** 31;

/**
 * Secrets of plugins that say nothing of them. A plugin that is not Capstan's own, and whose definition does not say
 * whether its output is sensitive, is judged by what it makes: a Secret with data makes it so.
 */
export class UnsaidSecrets {
  readonly #told = new BoundedMap<true>(maxTold);

  /** The texts of Secrets that a plugin made without having said that it would; none, mostly. Each is told once. */
  judge({ plugin, appName, manifests, before, log, note }: Made): readonly string[] {
    if (!isJudged(plugin)) return [];
    const made = manifests.map((one) => [one, textsOf(one.manifest)] as const);
    const withTexts = made.filter(([, texts]) => texts.length > 0);
    if (withTexts.length === 0) return [];
    const given = new Set(before.map(({ manifest }) => canonicalJson(manifest)));
    const own = withTexts.filter(([{ manifest }]) => given.size === 0 || !given.has(canonicalJson(manifest)));
    const [first] = own;
    if (!first) return [];
    const key = `${plugin.name} ${plugin.identity} ${appName}`;
    if (!this.#told.has(key)) {
      this.#told.set(key, true);
      const text = describe(plugin, first[0].manifest);
      log.warn({ application: appName, plugin: plugin.name }, text);
      note(text, "SecretsNotDeclared");
    }
    return [...new Set(own.flatMap(([, texts]) => texts))];
  }
}

/** Whether what it makes tells if it is sensitive. */
export function isJudged({ sensitive, identity }: Plugin): boolean {
  return sensitive === undefined && identity !== undefined;
}

function describe({ name }: Plugin, { kind, metadata }: Manifest): string {
  return (
    `plugin ${name} made ${kind} ${metadata.name ?? ""} with data and does not say that it is sensitive: it is treated so, ` +
    "what it made is kept in memory for ten minutes and the values are shown masked. " +
    "Say it: spec.sensitive: true in plugin.yaml or sensitive in definePlugin; false where nothing beside the Secrets is secret"
  );
}

/** Values of the Secrets that a manifest is or carries, as they are written and in plain text. */
function textsOf(value: unknown, depth = 0): string[] {
  if (depth > maxDepth) return [];
  if (Array.isArray(value)) return value.flatMap((one) => textsOf(one, depth + 1));
  if (!isRecord(value)) return [];
  if (value.kind === "Secret")
    return [...valuesOf(value.data).flatMap(bothForms), ...valuesOf(value.stringData)];
  return Object.values(value).flatMap((one) => textsOf(one, depth + 1));
}

function valuesOf(data: unknown): string[] {
  if (!isRecord(data)) return [];
  return Object.values(data).flatMap((one) => (one === null || one === "" ? [] : [String(one)]));
}

function bothForms(encoded: string): string[] {
  const plain = Buffer.from(encoded, "base64").toString();
  return plain === "" || plain.includes("\uFFFD") ? [encoded] : [encoded, plain];
}

/**
 * The manifests with every place told where one of the texts stands. A Secret's own data are hidden wherever Secrets are
 * shown, and told only where the Secret is part of something else.
 */
export function markTexts(
  manifests: readonly GeneratedManifest[],
  texts: readonly string[],
): readonly GeneratedManifest[] {
  if (texts.length === 0) return manifests;
  const length = manifests.reduce((sum, { manifest }) => sum + lengthOf(manifest), 0);
  if (length * texts.length > maxSearched) return markSecrets(manifests, []);
  const whole = new Set(texts.filter((text) => text.length >= minLength));
  const parts = [...whole].filter((text) => text.length >= minPartLength);
  const holds = (text: string) => whole.has(text) || parts.some((part) => text.includes(part));
  return manifests.map((one) => {
    const { apiVersion: _version, kind, metadata, ...rest } = one.manifest;
    if (kind === "Secret") return one;
    const { labels, annotations } = metadata;
    const paths = pathsOf({ ...rest, metadata: { labels, annotations } }, holds, []);
    return paths.length === 0 ? one : { ...one, secretPaths: [...(one.secretPaths ?? []), ...paths] };
  });
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, holds: (text: string) => boolean, path: Path): Path[] {
  if (typeof value === "string") return holds(value) ? [path] : [];
  if (typeof value === "number" || typeof value === "bigint") return holds(String(value)) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((one, index) => pathsOf(one, holds, [...path, index]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => pathsOf(one, holds, [...path, name]));
}

function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + lengthOf(one), 0);
  return isRecord(value) ? lengthOf(Object.values(value)) : 1;
}
