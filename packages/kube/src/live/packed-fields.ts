import { isRecord, jsonAsText, parseJson, stringifyJson } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import { packText, unpackText } from "./packed-text.ts";

/** Where an Application says most, and where nobody looks who lists or sorts Applications. */
const packedFields = ["status.resources", "status.history", "operationState.syncResult"] as const;

/** Shorter texts would take no less room packed. */
const shortestText = 400;
/**
 * Of so many Applications the texts are packed together: they have most in common. More would have to be read for
 * one of them, and stay as long as one of them does.
 */
const [mostTogether, longestTogether] = [24, 100_000];

/** What is packed of one Application: a line for each field, of its own until there are enough of them. */
interface Packed {
  lines: string | undefined;
  block: Block | undefined;
  /** The first of them in the block. */
  line: number;
}

/** Lines of text, packed. */
interface Block {
  readonly text: string;
}

const packedHere = Symbol("packed");

interface Holder {
  readonly [packedHere]: Packed;
}

/**
 * Keeps some fields of Applications as packed text. Whoever reads one gets it as it was, parsed anew: the fields
 * are there, and are listed, spread, compared and written as any others.
 */
export class PackedFields {
  #waiting: Packed[] = [];
  #length = 0;

  /** The same Application; what is not one, or says little, as it is. */
  pack(object: Manifest): Manifest {
    if (object.kind !== "Application" || !isRecord(object.status)) return object;
    const { status } = object;
    const operationState = isRecord(status.operationState) ? status.operationState : undefined;
    const holders: Readonly<Record<string, unknown>> = { status, operationState };
    if ([status, operationState ?? {}].some((one) => Object.hasOwn(one, "toJSON"))) return object;
    // No line ends within JSON text; what is not there is an empty line.
    const lines = packedFields.map((path) => textOf(path, holders)).join("\n");
    if (lines.length < shortestText) return object;
    const packed: Packed = { lines, block: undefined, line: 0 };
    const state = operationState && {
      operationState: withPacked("operationState", operationState, packed),
    };
    this.#packLater(packed, lines.length);
    return { ...object, status: withPacked("status", { ...status, ...state }, packed) };
  }

  #packLater(packed: Packed, length: number): void {
    this.#waiting.push(packed);
    this.#length += length;
    if (this.#waiting.length < mostTogether && this.#length < longestTogether) return;
    const all = this.#waiting.map(({ lines = "" }) => lines).join("\n");
    const block = { text: packText(all) };
    for (const [at, one] of this.#waiting.entries())
      Object.assign(one, { lines: undefined, block, line: at * packedFields.length });
    this.#waiting = [];
    this.#length = 0;
  }
}

function textOf(path: string, holders: Readonly<Record<string, unknown>>): string {
  const [holder = "", name = ""] = path.split(".");
  const record = holders[holder];
  return isRecord(record) && Object.hasOwn(record, name) ? stringifyJson(record[name]) : "";
}

/** A copy, with the fields in their order. */
function withPacked(holder: HolderName, record: Record<string, unknown>, packed: Packed): object {
  const copy: object = Object.defineProperty({}, packedHere, { value: packed });
  for (const [name, value] of Object.entries(record)) {
    const plain = { value, enumerable: true, writable: true, configurable: true };
    // Defined, not set: it may be called __proto__.
    Object.defineProperty(copy, name, properties.get(`${holder}.${name}`) ?? plain);
  }
  return Object.defineProperty(copy, "toJSON", writers[holder]);
}

/** One for each field, not for each object: so objects of the same fields have one shape in memory. */
const properties: ReadonlyMap<string, PropertyDescriptor> = new Map(
  packedFields.map((path, at) => [path, { enumerable: true, get: readerOf(at) }]),
);
const writers = {
  status: { value: writerOf("status") },
  operationState: { value: writerOf("operationState") },
};
type HolderName = keyof typeof writers;

function readerOf(at: number) {
  return function (this: Holder): unknown {
    return parseJson(lineOf(this[packedHere], at));
  };
}

/** Who writes an Application need not parse what is packed of it. */
function writerOf(holder: string) {
  const lines = new Map(packedFields.map((path, at) => [path.replace(`${holder}.`, ""), at]));
  return function (this: Holder & Readonly<Record<string, unknown>>): unknown {
    const written = Object.keys(this).map((name) => {
      const at = lines.get(name);
      const text = at === undefined ? undefined : jsonAsText(lineOf(this[packedHere], at));
      return [name, text ?? this[name]];
    });
    return Object.fromEntries(written);
  };
}

/** Who reads all Applications reads those next that were packed with this one. */
let last: { readonly block: Block; readonly lines: readonly string[] } | undefined;

function lineOf({ lines, block, line }: Packed, at: number): string {
  if (!block) return lines?.split("\n")[at] ?? "null";
  if (last?.block !== block) last = { block, lines: unpackText(block.text).split("\n") };
  return last.lines[line + at] ?? "null";
}
