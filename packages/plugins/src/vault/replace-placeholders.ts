import { isRecord, type Manifest } from "@capstan/model";
import { breaksDocument } from "./breaks-document.ts";
import { type ModifierOptions, modify } from "./modifiers.ts";
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
  allowedPaths: readonly RegExp[];
}

/** What a document's placeholders came down to. */
export interface Replaced {
  manifest: Manifest;
  /** One a placeholder that has no value. */
  problems: readonly string[];
}

/** argocd-vault-plugin pkg/kube: every string of a document but its keys. */
export async function replacePlaceholders(manifest: Manifest, options: ReplaceOptions): Promise<Replaced> {
  const annotations = manifest.metadata.annotations ?? {};
  if (isTrue(annotations[annotation.ignore])) return { manifest, problems: [] };
  const isRemoving = isTrue(annotations[annotation.removeMissing]);
  if (isRemoving && manifest.kind !== "Secret" && manifest.kind !== "ConfigMap")
    return { manifest, problems: [`${annotation.removeMissing} is for Secrets and ConfigMaps only`] };
  const document = new DocumentPlaceholders(manifest, { annotations, isRemoving, ...options });
  const replaced = await document.replace();
  return { manifest: replaced, problems: document.problems };
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
  readonly #pattern: RegExp;

  constructor(manifest: Manifest, options: DocumentOptions) {
    this.#manifest = manifest;
    this.#options = options;
    this.#pattern = placeholderPattern(options.annotations[annotation.path] !== undefined);
  }

  async replace(): Promise<Manifest> {
    const { apiVersion, kind, metadata, ...rest } = this.#manifest;
    const [replacedMetadata, replacedRest] = [await this.#map(metadata), await this.#map(rest)];
    return {
      ...(isRecord(replacedRest) ? replacedRest : {}),
      apiVersion,
      kind,
      metadata: isRecord(replacedMetadata) ? replacedMetadata : metadata,
    };
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
    const decoded = this.#manifest.kind === "Secret" ? decodeBase64(text) : undefined;
    if (decoded !== undefined && decoded.search(this.#pattern) >= 0) {
      const result = await this.#replaceIn(decoded, name);
      return result === removed ? removed : Buffer.from(printOf(result)).toString("base64");
    }
    return this.#replaceIn(text, name);
  }

  async #replaceIn(text: string, name: string): Promise<unknown> {
    const found = [...text.matchAll(this.#pattern)].map(([match]) => readPlaceholder(match));
    if (found.length === 0) return text;
    const values = await Promise.all(found.map((one) => this.#value(one)));
    if (values.includes(removed)) return removed;
    const [first] = found;
    const isForced = this.#manifest.kind === "ConfigMap";
    const isWhole = found.length === 1 && first?.text === text;
    const typed = values.find((value) => typeof value !== "string");
    if (!isForced && typed !== undefined && (isWhole || this.#options.isCompatible)) return typed;
    let at = 0;
    const filled = text.replaceAll(this.#pattern, (match) => this.#printed(values[at++], match));
    if (!this.#options.isCompatible && breaksDocument(name, text, filled))
      this.problems.push(
        `${found.map((one) => one.text).join(" ")} breaks what ${name} holds: quote it there, or use indent`,
      );
    return filled;
  }

  #printed(value: unknown, placeholder: string): string {
    if (typeof value !== "object" || value === null) return printOf(value);
    this.problems.push(`${placeholder} is an object, which cannot stand within a text`);
    return placeholder;
  }

  /** The text itself where there is no value: the document is refused by its problems. */
  async #value(placeholder: Placeholder): Promise<unknown> {
    const { annotations, allowedPaths, isRemoving, resolve } = this.#options;
    const own = placeholder.path === undefined;
    const path = placeholder.path ?? annotations[annotation.path] ?? "";
    const version = own ? annotations[annotation.version] : placeholder.version;
    const kvVersion = annotations[annotation.kvVersion];
    const problem = (text: string): string => {
      this.problems.push(`${placeholder.key} at ${path}: ${text}`);
      return placeholder.text;
    };
    if (!allowedPaths.every((pattern) => pattern.test(path)))
      return problem("the path is not allowed by AVP_PATH_VALIDATION");
    try {
      const value = await resolve({
        path,
        key: placeholder.key,
        isWhole: own,
        ...(version === undefined ? {} : { version }),
        ...(kvVersion === undefined ? {} : { kvVersion }),
      });
      if (value !== undefined && value !== null) return modify(value, placeholder.modifiers, this.#options);
      return isRemoving ? removed : problem("there is no value");
    } catch (error) {
      return problem(error instanceof Error ? error.message : String(error));
    }
  }
}

function printOf(value: unknown): string {
  return typeof value === "string" ? value : String(value);
}

function decodeBase64(text: string): string | undefined {
  const bare = text.trim();
  if (bare === "" || bare.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(bare, "base64");
  return bytes.toString("base64") === bare ? bytes.toString() : undefined;
}
