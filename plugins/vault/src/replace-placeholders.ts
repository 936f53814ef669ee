import { isUtf8 } from "node:buffer";
import { isRecord } from "@capstan/formats";
import type { GoRegexp } from "@capstan/formats/re2";
import { isManifest, type Manifest } from "@capstan/model";
import { breaksDocument } from "./breaks-document.ts";
import { decodeBase64 } from "./decode-base64.ts";
import { type ModifierOptions, modify } from "./modifiers.ts";
import type { PathRule } from "./path-rule.ts";
import { type Placeholder, placeholderPattern, readPlaceholder } from "./placeholder.ts";

const annotation = {
  path: "avp.kubernetes.io/path",
  version: "avp.kubernetes.io/secret-version",
  kvVersion: "avp.kubernetes.io/kv-version",
  ignore: "avp.kubernetes.io/ignore",
  removeMissing: "avp.kubernetes.io/remove-missing",
} as const;

export interface SecretQuery {
  path: string;
  key: string;
  version?: string;
  kvVersion?: string;
  /** Asked by the document's annotation: a backend may fetch all of the path. */
  isWhole: boolean;
}

export interface ReplaceOptions extends ModifierOptions {
  /** The value, or undefined where there is none; rejects when it cannot be known. */
  resolve(query: SecretQuery): Promise<unknown>;
  /** AVP_PATH_VALIDATION: all must match. */
  allowedPaths: readonly PathRule[];
}

/** What a document's placeholders came down to. */
export interface Replaced {
  manifest: Manifest;
  /** One a placeholder that has no value. */
  problems: readonly string[];
}

/** argocd-vault-plugin pkg/kube: every string of a document but its keys. */
export async function replacePlaceholders(manifest: Manifest, options: ReplaceOptions): Promise<Replaced> {
  const annotations = readAnnotations(manifest);
  if (isTrue(annotations[annotation.ignore])) return { manifest, problems: [] };
  const isRemoving = isTrue(annotations[annotation.removeMissing]);
  if (isRemoving && manifest.kind !== "Secret" && manifest.kind !== "ConfigMap")
    return { manifest, problems: [`${annotation.removeMissing} is for Secrets and ConfigMaps only`] };
  const document = new DocumentPlaceholders(manifest, { annotations, isRemoving, ...options });
  const replaced = await document.replace();
  return { manifest: replaced, problems: document.problems };
}

/** By name; one that was not quoted counts as the text it is written as. */
function readAnnotations({ metadata }: Manifest): Record<string, string> {
  const given: Readonly<Record<string, unknown>> = metadata.annotations ?? {};
  const set = Object.values(annotation).filter((name) => given[name] !== undefined && given[name] !== null);
  return Object.fromEntries(set.map((name) => [name, String(given[name])]));
}

/** strconv.ParseBool; what it does not know is false. */
function isTrue(text: string | undefined): boolean {
  return /^(1|t|T|TRUE|true|True)$/.test(text ?? "");
}

interface DocumentOptions extends ReplaceOptions {
  annotations: Readonly<Record<string, string>>;
  isRemoving: boolean;
}

const removed = Symbol("removed");

class DocumentPlaceholders {
  readonly problems: string[] = [];
  readonly #manifest: Manifest;
  readonly #options: DocumentOptions;
  readonly #pattern: GoRegexp;

  constructor(manifest: Manifest, options: DocumentOptions) {
    this.#manifest = manifest;
    this.#options = options;
    this.#pattern = placeholderPattern(options.annotations[annotation.path] !== undefined);
  }

  get #isConfigMap(): boolean {
    return this.#manifest.kind === "ConfigMap";
  }

  async replace(): Promise<Manifest> {
    const replaced = await this.#map(this.#manifest);
    if (isManifest(replaced)) return replaced;
    this.problems.push("the values in apiVersion, kind and metadata make it no object of Kubernetes");
    return this.#manifest;
  }

  async #map(value: unknown, name = ""): Promise<unknown> {
    if (typeof value === "string") return this.#text(value, name);
    if (Array.isArray(value)) {
      const items = await Promise.all(value.map((item) => this.#map(item)));
      return items.map((item, index) => (item === removed ? this.#kept(value[index]) : item));
    }
    if (!isRecord(value)) return value;
    const entries = await Promise.all(
      Object.entries(value).map(async ([key, item]) => [key, await this.#map(item, key)] as const),
    );
    return Object.fromEntries(entries.filter(([, item]) => item !== removed));
  }

  /** A list keeps its length: only keys are removed. */
  #kept(item: unknown): unknown {
    this.problems.push(`${item} has no value, and an item of a list is not removed`);
    return item;
  }

  async #text(text: string, name: string): Promise<unknown> {
    const coded = this.#manifest.kind === "Secret" ? decodeBase64(text) : undefined;
    if (!coded?.isBase64) return this.#replaceIn(text, { name, coding: "utf8" });
    // One sign a byte: what is no text around a placeholder stays as it is.
    const decoded = coded.bytes.toString("latin1");
    if (!this.#pattern.test(decoded)) return text;
    const result = await this.#replaceIn(decoded, { name, coding: "latin1" });
    if (result === removed) return removed;
    const filled = typeof result === "string" ? result : this.#printed(result, name);
    return Buffer.from(filled, "latin1").toString("base64");
  }

  async #replaceIn(text: string, { name, coding }: { name: string; coding: Coding }): Promise<unknown> {
    const found = Array.from(this.#pattern.findAll(text), ({ parts: [match = ""] }) =>
      readPlaceholder(decode(match, coding)),
    );
    const [first] = found;
    if (!first) return text;
    const values = await Promise.all(found.map((one) => this.#value(one)));
    if (values.includes(removed)) return removed;
    const isWhole = found.length === 1 && encode(first.text, coding) === text;
    const [value] = values;
    const isOwnBytes = isWhole && Buffer.isBuffer(value) && first.modifiers.length === 0;
    // Go's JSON of bytes, and what a Secret's data takes.
    if (isOwnBytes && coding === "utf8" && !this.#isConfigMap) return value.toString("base64");
    const typed = values.findLast((value) => typeof value !== "string" && !Buffer.isBuffer(value));
    if (typed !== undefined && (isWhole || this.#options.isCompatible))
      return this.#isConfigMap ? this.#printed(typed, first.text) : typed;
    const printed = found.map(({ text: placeholder }, at) => this.#printed(values[at], placeholder, coding));
    let at = 0;
    const filled = this.#pattern.replaceAll(text, () => printed[at++] ?? "");
    const isBroken = !isWhole && breaksDocument(name, decode(text, coding), decode(filled, coding));
    if (isBroken && !this.#options.isCompatible)
      this.problems.push(
        `${found.map((one) => one.text).join(" ")} breaks what ${name} holds: quote it there, or use indent`,
      );
    return filled;
  }

  /** As it stands within a text. */
  #printed(value: unknown, placeholder: string, coding: Coding = "utf8"): string {
    if (Buffer.isBuffer(value)) {
      if (coding === "utf8" && !isUtf8(value) && !this.#options.isCompatible)
        this.problems.push(`${placeholder} is no text: put base64 of the placeholder into a Secret's data`);
      return value.toString(coding);
    }
    if (typeof value !== "object" || value === null) return encode(String(value), coding);
    this.problems.push(`${placeholder} is an object, which cannot stand within a text`);
    return "";
  }

  /** The text itself where there is no value: the document is refused by its problems. */
  async #value(placeholder: Placeholder): Promise<unknown> {
    const { annotations, allowedPaths, isCompatible, isRemoving, resolve } = this.#options;
    const own = placeholder.path === undefined;
    const path = placeholder.path ?? annotations[annotation.path] ?? "";
    const version = (own ? annotations[annotation.version] : placeholder.version) || undefined;
    const kvVersion = annotations[annotation.kvVersion];
    const problem = (text: string): string => {
      this.problems.push(`${placeholder.key} at ${path}: ${text}`);
      return placeholder.text;
    };
    try {
      if (!allowedPaths.every((rule) => rule.test(path)))
        return problem("the path is not allowed by AVP_PATH_VALIDATION");
      const value = await resolve({
        path,
        key: placeholder.key,
        isWhole: own,
        ...(version === undefined ? {} : { version }),
        ...(kvVersion === undefined ? {} : { kvVersion }),
      });
      if (value === undefined || value === null) return isRemoving ? removed : problem("there is no value");
      const modified = modify(value, placeholder.modifiers, this.#options);
      return modified === null && isCompatible ? placeholder.text : modified;
    } catch (error) {
      return problem(error instanceof Error ? error.message : String(error));
    }
  }
}

/** latin1: one sign a byte. */
type Coding = "utf8" | "latin1";

function decode(text: string, coding: Coding): string {
  return coding === "utf8" ? text : Buffer.from(text, coding).toString();
}

function encode(text: string, coding: Coding): string {
  return coding === "utf8" ? text : Buffer.from(text).toString(coding);
}
