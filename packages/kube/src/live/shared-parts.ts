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

  /** `isPacked`: what `PackedFields` has packed is not looked at. What `before` has in the same place is shared already. */
  share(
    object: Manifest,
    { isPacked = false, before }: { isPacked?: boolean; before?: Manifest | undefined } = {},
  ): void {
    const known = before?.metadata.managedFields ?? [];
    for (const [at, entry] of (object.metadata.managedFields ?? []).entries()) {
      if (entry === known[at]) continue;
      this.#shareTexts({ now: entry, before: known[at] }, ["manager", "apiVersion", "time"]);
      if (entry.fieldsV1 && entry.fieldsV1 !== known[at]?.fieldsV1)
        entry.fieldsV1 = this.#sharedFields(entry.fieldsV1);
    }
    const holder = { now: object, before };
    this.#shareTexts(holder, ["apiVersion", "kind"]);
    this.#shareTexts(below(holder, "metadata"), ["creationTimestamp"]);
    if (object.kind !== "Application") return;
    this.#shareApplication(holder);
    if (!isPacked) this.#shareLists(holder);
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

  #shareApplication(object: Holder): void {
    const [spec, status, metadata] = [
      below(object, "spec"),
      below(object, "status"),
      below(object, "metadata"),
    ];
    const state = below(status, "operationState");
    const sync = below(status, "sync");
    this.#shareTexts(metadata, ["namespace"]);
    this.#shareParts(metadata, ["finalizers"]);
    this.#shareTexts(below(spec, "source"), ["repoURL", "targetRevision"]);
    this.#shareTexts(below(spec, "destination"), ["server", "namespace"]);
    this.#shareTexts(sync, ["revision"]);
    this.#shareTexts(status, ["reconciledAt"]);
    this.#shareTexts(below(status, "health"), ["lastTransitionTime"]);
    this.#shareParts(spec, [...sourceFields, "syncPolicy"]);
    this.#shareParts(below(sync, "comparedTo"), sourceFields);
    this.#shareParts(state, ["operation"]);
    this.#shareTexts(state, ["message", "startedAt", "finishedAt"]);
  }

  #shareLists(object: Holder): void {
    const status = below(object, "status");
    const result = below(below(status, "operationState"), "syncResult");
    this.#shareTexts(result, ["revision"]);
    this.#shareParts(result, sourceFields);
    this.#shareEach(status, "history", {
      texts: ["revision", "deployStartedAt", "deployedAt"],
      parts: sourceFields,
    });
    this.#shareEach(status, "resources", { texts: ["group", "kind", "namespace"], parts: ["health"] });
    this.#shareEach(result, "resources", { texts: ["group", "kind", "namespace", "message"], parts: [] });
  }

  #shareEach(
    holder: Holder,
    field: string,
    { texts, parts }: { texts: readonly string[]; parts: readonly string[] },
  ): void {
    if (holder.now === holder.before) return;
    const [items, known] = [listAt(holder.now, field), listAt(holder.before ?? {}, field)];
    for (const [at, now] of items.entries()) {
      const before = known[at];
      if (!isRecord(now) || now === before) continue;
      const item = { now, before: isRecord(before) ? before : undefined };
      this.#shareTexts(item, texts);
      this.#shareParts(item, parts);
    }
  }

  #shareTexts({ now, before }: Holder, fields: readonly string[]): void {
    if (now === before) return;
    for (const field of fields) {
      const text = now[field];
      if (typeof text === "string" && text !== before?.[field]) now[field] = this.#texts.first(text, text);
    }
  }

  #shareParts({ now, before }: Holder, fields: readonly string[]): void {
    if (now === before) return;
    for (const field of fields) {
      const part = now[field];
      if (typeof part !== "object" || part === null || part === before?.[field]) continue;
      const text = stringifyJson(part);
      if (text.length <= longestPart) now[field] = this.#parts.first(text, part);
    }
  }
}

/** What has the parts, and what has had them in the object's version before. */
interface Holder {
  readonly now: Record<string, unknown>;
  readonly before: Readonly<Record<string, unknown>> | undefined;
}

function below({ now, before }: Holder, field: string): Holder {
  return { now: recordAt(now, field), before: before && recordAt(before, field) };
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
