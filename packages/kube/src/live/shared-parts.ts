import { isRecord, stringifyJson } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import { listAt, recordAt } from "../read-json.ts";

/**
 * Characters that are remembered of parts and of texts, and how long a part may be. What one Application says several
 * times comes together, and what many say comes soon again: more would mostly remember what never comes again.
 */
const [mostOfParts, mostOfTexts, longestPart] = [400_000, 200_000, 20_000];
/** A container's probe is eight levels deep. */
const deepestFields = 12;

type Fields = { [name: string]: unknown };

const sourceFields = ["source", "sources", "destination"];

/**
 * Objects of a cluster have much alike: which fields somebody wrote, what an Application says of each of its resources.
 * Parsed apart, this is most of what objects take in memory. Here what is the same is put in its place; what the object
 * says does not change.
 */
export class SharedParts {
  readonly #parts = new Known<object>(mostOfParts);
  readonly #fields = new Known<Fields>(mostOfParts);
  readonly #texts = new Known<string>(mostOfTexts);

  /** `isPacked`: what `PackedFields` has packed is not looked at. */
  share(object: Manifest, isPacked = false): void {
    for (const entry of object.metadata.managedFields ?? []) {
      this.#shareTexts(entry, ["manager", "apiVersion", "time"]);
      if (entry.fieldsV1) entry.fieldsV1 = this.#sharedFields(entry.fieldsV1);
    }
    if (object.kind !== "Application") return;
    this.#shareApplication(object);
    if (!isPacked) this.#shareLists(object);
  }

  /**
   * Which fields somebody wrote: all of them as one, or, where a name within them is the object's own, as of a
   * container, what is beside it and below it.
   */
  #sharedFields(fields: Fields, depth = 0): Fields {
    const text = stringifyJson(fields);
    if (text.length > longestPart) return fields;
    const shared = this.#fields.first(text, fields);
    if (shared !== fields || depth === deepestFields) return shared;
    for (const [name, below] of Object.entries(fields))
      if (isRecord(below)) fields[name] = this.#sharedFields(below, depth + 1);
    return fields;
  }

  #shareApplication(object: Manifest): void {
    const [spec, status] = [recordAt(object, "spec"), recordAt(object, "status")];
    const state = recordAt(status, "operationState");
    const sync = recordAt(status, "sync");
    this.#shareTexts(object, ["apiVersion", "kind"]);
    this.#shareTexts(object.metadata, ["namespace"]);
    this.#shareParts(object.metadata, ["finalizers"]);
    this.#shareTexts(recordAt(spec, "source"), ["repoURL", "targetRevision"]);
    this.#shareTexts(recordAt(spec, "destination"), ["server", "namespace"]);
    this.#shareTexts(sync, ["revision"]);
    this.#shareTexts(status, ["reconciledAt"]);
    this.#shareTexts(recordAt(status, "health"), ["lastTransitionTime"]);
    this.#shareParts(spec, [...sourceFields, "syncPolicy"]);
    this.#shareParts(recordAt(sync, "comparedTo"), sourceFields);
    this.#shareParts(state, ["operation"]);
    this.#shareTexts(state, ["message", "startedAt", "finishedAt"]);
  }

  #shareLists(object: Manifest): void {
    const status = recordAt(object, "status");
    const result = recordAt(recordAt(status, "operationState"), "syncResult");
    this.#shareTexts(result, ["revision"]);
    this.#shareParts(result, sourceFields);
    this.#shareEach(listAt(status, "history"), ["revision", "deployStartedAt", "deployedAt"], sourceFields);
    this.#shareEach(listAt(status, "resources"), ["group", "kind", "namespace"], ["health"]);
    this.#shareEach(listAt(result, "resources"), ["group", "kind", "namespace", "message"], []);
  }

  #shareEach(items: readonly unknown[], texts: readonly string[], parts: readonly string[]): void {
    for (const item of items) {
      if (!isRecord(item)) continue;
      this.#shareTexts(item, texts);
      this.#shareParts(item, parts);
    }
  }

  #shareTexts(holder: Record<string, unknown>, fields: readonly string[]): void {
    for (const field of fields) {
      const text = holder[field];
      if (typeof text === "string") holder[field] = this.#texts.first(text, text);
    }
  }

  #shareParts(holder: Record<string, unknown>, fields: readonly string[]): void {
    for (const field of fields) {
      const part = holder[field];
      if (typeof part !== "object" || part === null) continue;
      const text = stringifyJson(part);
      if (text.length <= longestPart) holder[field] = this.#parts.first(text, part);
    }
  }
}

/** Begins anew once it is full: to forget what was asked for longest ago would cost more than it saves. */
class Known<Value> {
  readonly #byText = new Map<string, Value>();
  readonly #limit: number;
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What was given first under this text. */
  first(text: string, value: Value): Value {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    if (this.#length + text.length > this.#limit) {
      this.#byText.clear();
      this.#length = 0;
    }
    this.#byText.set(text, value);
    this.#length += text.length;
    return value;
  }
}
