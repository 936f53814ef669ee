import { createHash } from "node:crypto";
import { type Clock, runLimited } from "@capstan/flow";
import { stringifyJson } from "@capstan/formats";
import { isKubeObject, type JsonObject, listAt, objectAt, sortedKeys, textAt } from "../schema/json.ts";
import type { Store } from "../store/store.ts";
import { ApiError, type KubeObject } from "../types.ts";
import { callWebhook } from "./call-webhook.ts";
import { conversionReview, describeKind, readConverted, reviewVersion } from "./conversion-review.ts";
import { Pending } from "./pending.ts";
import { locateWebhook } from "./webhook-address.ts";

/** apiextensions-apiserver asks with this limit, which no definition changes. */
const timeoutSeconds = 30;
/** Of what is sent in one review, at most; each is answered within 8 MB. */
const batch = { objects: 100, characters: 2 * 1_048_576 };
const batchesAtOnce = 4;
/** How long an answer is used again: for the request that asked, and for watches and lists at the same time. */
const knownForMs = 10_000;
/** Characters of the answers of one definition that are kept beside those of the request that asked last. */
const mostKnown = 16 * 1_048_576;

interface Known {
  readonly object: KubeObject;
  readonly untilMs: number;
  readonly characters: number;
}

interface Asking {
  to: string;
  signal: AbortSignal;
}

export interface ConversionParts {
  readonly store: Pick<Store, "get" | "list">;
  readonly clock: Clock;
}

/** Converts the objects of one CRD by its webhook, strategy Webhook. */
export class WebhookConversion {
  readonly #parts: ConversionParts;
  readonly #webhook: JsonObject | undefined;
  readonly #versions: ReadonlySet<string>;
  /** Oldest first. */
  readonly #known = new Map<string, Known>();
  #characters = 0;

  constructor(crd: KubeObject, parts: ConversionParts) {
    this.#parts = parts;
    this.#webhook = objectAt(crd, "spec", "conversion", "webhook");
    const group = textAt(crd, "spec", "group");
    this.#versions = new Set(
      listAt(crd, "spec", "versions").map((version) => `${group}/${textAt(version, "name")}`),
    );
  }

  /** Whether nothing real stands behind its address: then objects change their apiVersion alone, and that is said. */
  get isSimulated(): boolean {
    return this.#locate() === "simulated";
  }

  /** Throws Pending where the webhook is still to be asked, and apiserver's refusal where it failed. */
  convert(object: KubeObject, to: string): KubeObject {
    const found = this.#find(object, to);
    if (found === undefined) throw this.#pending([object], to);
    return found;
  }

  /** All at once: one question for many objects, where any is still to be asked. */
  prepare(objects: readonly KubeObject[], to: string): void {
    const open = objects.filter((object) => this.#find(object, to) === undefined);
    if (open.length > 0) throw this.#pending(open, to);
  }

  #find(object: KubeObject, to: string): KubeObject | undefined {
    if (object.apiVersion === to) return object;
    this.#requireVersions(object, to);
    const found = this.#known.get(keyOf(object, to));
    if (found === undefined || found.untilMs < this.#parts.clock.now())
      return this.isSimulated ? { ...object, apiVersion: to } : undefined;
    const { labels, annotations } = found.object.metadata;
    const { labels: _labels, annotations: _annotations, ...kept } = object.metadata;
    return {
      ...found.object,
      metadata: { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) },
    };
  }

  #requireVersions(object: KubeObject, to: string): void {
    const wrong = (direction: string, version: string): ApiError =>
      new ApiError(500, "", `request to convert CR ${direction} an invalid group/version: ${version}`);
    if (!this.#versions.has(to)) throw wrong("to", to);
    if (!this.#versions.has(object.apiVersion)) throw wrong("from", object.apiVersion);
  }

  #pending(objects: readonly KubeObject[], to: string): Pending {
    return new Pending(async (signal) => {
      const asking = { to, signal };
      const found = await runLimited(batchesOf(objects), batchesAtOnce, (some) => this.#ask(some, asking));
      this.#forget();
      for (const [index, converted] of found.flat().entries()) {
        const object = objects[index];
        if (object !== undefined) this.#keep(keyOf(object, to), converted);
      }
    });
  }

  #keep(key: string, { metadata, ...object }: KubeObject): void {
    const { labels, annotations } = metadata;
    const kept = { ...object, metadata: { ...(labels && { labels }), ...(annotations && { annotations }) } };
    const characters = stringifyJson(kept).length;
    this.#drop(key);
    this.#known.set(key, { object: kept, untilMs: this.#parts.clock.now() + knownForMs, characters });
    this.#characters += characters;
  }

  /** What is too old, and the oldest beyond the limit. */
  #forget(): void {
    const now = this.#parts.clock.now();
    for (const [key, { untilMs }] of this.#known)
      if (untilMs < now || this.#characters > mostKnown) this.#drop(key);
  }

  #drop(key: string): void {
    this.#characters -= this.#known.get(key)?.characters ?? 0;
    this.#known.delete(key);
  }

  async #ask(objects: readonly KubeObject[], asking: Asking): Promise<KubeObject[]> {
    try {
      return await this.#converted(objects, asking);
    } catch (error) {
      asking.signal.throwIfAborted();
      throw new ApiError(500, "", error instanceof Error ? error.message : String(error));
    }
  }

  async #converted(objects: readonly KubeObject[], { to, signal }: Asking): Promise<KubeObject[]> {
    const version = reviewVersion(listAt(this.#webhook, "conversionReviewVersions"));
    if (version === undefined) throw new Error("no supported conversion review versions");
    const failed = (why: string): Error =>
      new Error(`conversion webhook for ${describeKind(objects[0])} failed: ${why}`);
    const address = this.#locate();
    if (address === "simulated") return objects.map((object) => ({ ...object, apiVersion: to }));
    if ("problem" in address) throw failed(address.problem);
    const sent = objects.map(sentForm);
    const { uid, body } = conversionReview(version, { objects: sent, to });
    const caBundle = textAt(this.#webhook, "clientConfig", "caBundle");
    const { clock } = this.#parts;
    const answer = await callWebhook({ address, caBundle, timeoutSeconds, body, clock, signal }).catch(
      (error: unknown) => {
        throw failed(error instanceof Error ? error.message : String(error));
      },
    );
    return readConverted(answer, { uid, version, objects: sent, to });
  }

  #locate(): ReturnType<typeof locateWebhook> {
    return locateWebhook(this.#parts.store, objectAt(this.#webhook, "clientConfig"), timeoutSeconds);
  }
}

/** As Go writes it, without the number of its last change, which no stored object has. */
function sentForm(object: KubeObject): KubeObject {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  const sent = sortedKeys({ ...object, metadata });
  return isKubeObject(sent) ? sent : object;
}

/** Of the metadata only what tells objects apart and what a webhook may change: the rest stays as it was. */
function keyOf(object: KubeObject, to: string): string {
  const { name, namespace, uid, labels, annotations } = object.metadata;
  const text = stringifyJson({ ...object, metadata: { name, namespace, uid, labels, annotations }, to });
  return createHash("sha256").update(text).digest("base64");
}

function batchesOf(objects: readonly KubeObject[]): KubeObject[][] {
  const batches: KubeObject[][] = [];
  let room = { objects: 0, characters: 0 };
  for (const object of objects) {
    const characters = stringifyJson(object).length;
    if (room.objects < 1 || room.characters < characters) {
      batches.push([]);
      room = { ...batch };
    }
    batches.at(-1)?.push(object);
    room = { objects: room.objects - 1, characters: room.characters - characters };
  }
  return batches;
}
