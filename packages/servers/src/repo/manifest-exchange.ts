import { BoundedMap } from "@capstan/flow";
import { isRecord, stringifyJson } from "@capstan/formats";
import { isManifest, type Manifest } from "@capstan/model";
import type { RenderedManifest } from "@capstan/wire";

/** One manifest of an answer; without `manifest` it is the one that was sent under this digest before. */
interface Entry extends Omit<RenderedManifest, "manifest"> {
  manifest?: Manifest;
  /** Length of its text, by which both sides know alike what is kept; 0: it holds a secret and is not. */
  size: number;
}

/** Text of one part: what is parsed at once in the process that answers people. */
const partLength = 256 * 1024;
/** All texts together, on both sides alike. */
const keptLength = 64 * 2 ** 20;

/** What was sent last, by digest. Both sides do the same in the same order, so that they hold the same. */
const newKept = <Value>(): BoundedMap<Value> => new BoundedMap(keptLength);

/** Sends manifests in parts, each manifest once as long as the other side still holds it. */
export class ManifestSender {
  readonly #sent = newKept<true>();

  /** `part` must send at once what it is given. */
  async send(manifests: readonly RenderedManifest[], part: (json: string) => Promise<void>): Promise<void> {
    let entries: string[] = [];
    let length = 0;
    for (const one of manifests) {
      const entry = this.#write(one);
      entries.push(entry);
      length += entry.length;
      if (length < partLength) continue;
      const json = `[${entries.join(",")}]`;
      [entries, length] = [[], 0];
      await part(json);
    }
    if (entries.length > 0) await part(`[${entries.join(",")}]`);
  }

  #write({ manifest, ...facts }: RenderedManifest): string {
    if (this.#sent.get(facts.digest)) return stringifyJson({ ...facts, size: 0 });
    const text = stringifyJson(manifest);
    const size = isSecret(manifest, facts) ? 0 : text.length;
    if (size > 0) this.#sent.set(facts.digest, true, size);
    const rest = stringifyJson({ ...facts, size });
    return `${rest.slice(0, -1)},"manifest":${text}}`;
  }
}

/** The other half. */
export class ManifestReceiver {
  readonly #received = newKept<Manifest>();

  /** Throws for what is no part of a ManifestSender. */
  read(part: unknown): RenderedManifest[] {
    if (!Array.isArray(part)) throw new Error("a part of an answer is no list");
    return part.map((entry) => this.#read(entry));
  }

  #read(entry: unknown): RenderedManifest {
    if (!isEntry(entry)) throw new Error("a part of an answer holds what is no manifest");
    const { size, manifest: sent, ...facts } = entry;
    if (sent && size > 0) this.#received.set(facts.digest, sent, size);
    const manifest = sent ?? this.#received.get(facts.digest);
    if (!manifest) throw new Error("an answer refers to a manifest that was not sent");
    return { ...facts, manifest };
  }
}

function isSecret({ kind }: Manifest, { secretPaths = [] }: Omit<RenderedManifest, "manifest">): boolean {
  return kind === "Secret" || secretPaths.length > 0;
}

function isEntry(value: unknown): value is Entry {
  if (!isRecord(value) || typeof value.digest !== "string" || typeof value.size !== "number") return false;
  return value.manifest === undefined || isManifest(value.manifest);
}
