import fc, { type Arbitrary } from "fast-check";
import { type Kind, objectOf } from "../kinds/kind.ts";
import type { Json, JsonObject } from "../script.ts";
import { contentEdits, type Edit, metadataEdits, statusEdits } from "./edits.ts";
import { withoutPinned } from "./pinned.ts";
import type { Schemas } from "./schemas.ts";

export interface Write {
  readonly verb: "create" | "put" | "merge" | "strategic" | "json" | "apply";
  /** Which of the two objects of the sequence. */
  readonly slot: Slot;
  readonly subresource: "" | "status";
  readonly edits: readonly Edit[];
  /** Not the whole object but what the edits name: for apply. */
  readonly part: boolean;
  /** A put after a look at the object says which version it read. */
  readonly version: "none" | "read" | "stale";
  /** `$patch: replace` beside what changes: for strategic. */
  readonly replace: boolean;
  readonly query: string;
}

export interface Read {
  readonly verb: "get" | "list";
  readonly slot: Slot;
  readonly tail: string;
}

export interface Removal {
  readonly verb: "delete" | "deleteCollection";
  readonly slot: Slot;
  readonly query: string;
  readonly body: JsonObject | undefined;
}

export interface Scaling {
  readonly verb: "scale";
  readonly slot: Slot;
  readonly how: "get" | "put" | "merge" | "json" | "apply";
  readonly replicas: Json;
  readonly query: string;
}

export type Slot = "a" | "b";
export type Operation = Write | Read | Removal | Scaling;

export interface Sequence {
  readonly kind: Kind;
  readonly operations: readonly Operation[];
}

/** A controller puts one into every new namespace, at a moment of its own. */
const providedKinds = new Set(["ConfigMap", "ServiceAccount"]);
/** What a controller of the real side answers to a write of the status. */
const watchedStatuses = new Set(["APIService", "ResourceQuota", "ValidatingAdmissionPolicy"]);

const slots: Arbitrary<Slot> = fc.constantFrom("a", "a", "a", "b");
const often = <T>(usual: T, ...rare: readonly T[]): Arbitrary<T> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...rare) });

export function sequences(schemas: Schemas, kinds: readonly Kind[]): Arbitrary<Sequence> {
  return fc.noShrink(fc.constantFrom(...kinds)).chain((kind) => {
    const one = operation(schemas, kind);
    const first = write(schemas, kind, ["create", "create", "apply"]);
    return fc
      .tuple(first, fc.array(one, { minLength: 1, maxLength: 10, size: "max" }))
      .map(([start, rest]) => ({ kind, operations: [{ ...start, slot: "a" as const }, ...rest] }));
  });
}

function operation(schemas: Schemas, kind: Kind): Arbitrary<Operation> {
  const verbs: Write["verb"][] = ["create", "put", "put", "merge", "json", "apply", "apply", "apply"];
  if (!kind.custom) verbs.push("strategic", "strategic");
  return fc.oneof(
    { weight: 12, arbitrary: write(schemas, kind, verbs) },
    { weight: 2, arbitrary: read(schemas, kind) },
    { weight: 1, arbitrary: removal() },
    ...(schemas.serves(kind, "scale") ? [{ weight: 2, arbitrary: scaling() }] : []),
  );
}

function write(schemas: Schemas, kind: Kind, verbs: readonly Write["verb"][]): Arbitrary<Write> {
  const subresources: Arbitrary<Write["subresource"]> =
    schemas.serves(kind, "status") && !watchedStatuses.has(kind.kind) ? often("", "status") : fc.constant("");
  return fc
    .tuple(fc.noShrink(fc.constantFrom(...verbs)), fc.noShrink(subresources))
    .chain(([verb, wanted]) => {
      const subresource = verb === "create" ? "" : wanted;
      return fc.record<Write>({
        verb: fc.constant(verb),
        slot: slots,
        subresource: fc.constant(subresource),
        edits: fc.array(editOf(schemas, kind, subresource), { maxLength: 3 }),
        part: fc.boolean(),
        version: fc.constantFrom("none", "read", "read", "stale"),
        replace: often(false, true),
        query: verb === "apply" ? applyQuery : writeQuery,
      });
    });
}

function editOf(schemas: Schemas, kind: Kind, subresource: Write["subresource"]): Arbitrary<Edit> {
  const root = schemas.of(kind);
  const base = objectOf(kind, kind.status);
  const status = { weight: subresource === "status" ? 6 : 1, arbitrary: statusEdits(schemas, root, base) };
  const content = { weight: subresource === "" ? 8 : 1, arbitrary: contentEdits(schemas, root, base) };
  const any = fc.oneof(content, { weight: 3, arbitrary: metadataEdits }, status);
  return withoutPinned(kind, any);
}

const dryRun = often("", "dryRun=All");
const fieldValidation = fc.oneof(
  { weight: 4, arbitrary: fc.constant("") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("Strict", "Warn", "Ignore").map((how) => `fieldValidation=${how}`),
  },
);
const manager = fc.constantFrom("one", "two", "three").map((name) => `fieldManager=${name}`);

function query(...parts: readonly Arbitrary<string>[]): Arbitrary<string> {
  return fc.tuple(...parts).map((texts) => texts.filter((text) => text !== "").join("&"));
}

const writeQuery = query(fc.oneof(fc.constant(""), manager), dryRun, fieldValidation);
const applyQuery = query(manager, often("", "force=true", "force=true"), dryRun, fieldValidation);

function read(schemas: Schemas, kind: Kind): Arbitrary<Operation> {
  const get = fc.record<Read>({
    verb: fc.constant("get"),
    slot: slots,
    tail: schemas.serves(kind, "status") ? often("", "/status") : fc.constant(""),
  });
  // Where other sequences write, whether anything follows the page depends on the moment.
  const pages = kind.clusterWide || providedKinds.has(kind.kind) ? [] : ["limit=1"];
  const more = fc.constantFrom(...pages, "resourceVersion=0", "fieldSelector=metadata.name%3D<id>");
  const list = fc.record<Read>({
    verb: fc.constant("list"),
    slot: slots,
    tail: fc
      .tuple(fc.constantFrom("", ",a", ",a%3D1", ",a%21%3D1", ",a in (1,2)", ",%21b"), fc.option(more))
      .map(([selector, extra]) => `${selector.replaceAll(" ", "%20")}${extra === null ? "" : `&${extra}`}`),
  });
  return fc.oneof(get, list);
}

function removal(): Arbitrary<Operation> {
  const policies = ["Background", "Foreground", "Orphan", "Odd"];
  const body = fc.option(
    fc.constantFrom<JsonObject>(
      ...policies.map((propagationPolicy) => ({ propagationPolicy })),
      { gracePeriodSeconds: 0 },
      { gracePeriodSeconds: 5 },
      { gracePeriodSeconds: -1 },
      { preconditions: { uid: "11111111-1111-1111-1111-111111111111" } },
      { preconditions: { resourceVersion: "1" } },
      { dryRun: ["All"] },
      { dryRun: ["Some"] },
      { kind: "DeleteOptions", apiVersion: "v1", strange: 1 },
    ),
    { nil: undefined },
  );
  return fc.record<Removal>({
    verb: often("delete", "deleteCollection"),
    slot: slots,
    query: dryRun,
    body,
  });
}

function scaling(): Arbitrary<Scaling> {
  return fc.record<Scaling>({
    verb: fc.constant("scale"),
    slot: slots,
    how: fc.constantFrom("get", "put", "merge", "json", "apply"),
    replicas: often<Json>(2, 0, 1, 3, -1, "x", null),
    query: applyQuery,
  });
}
