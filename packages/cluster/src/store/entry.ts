import { parseJson } from "@capstan/formats";
import { isKubeObject, type KubeObject } from "../types.ts";

interface EntryFacts {
  row: number;
  type: string;
  namespace: string;
  name: string;
  uid: string;
  revision: number;
  owners: readonly string[];
  /** Where it is in the file: who reads it there. */
  text: string | StoredTexts;
  /** Found out from the text where it is not said. */
  isLeaving?: boolean;
}

/** Of an object that is being deleted; others may have it as well, further down. */
export const leavingMark = '"deletionTimestamp":';

type TextOf = (row: number) => string | undefined;

/** The text of the version that the file has now. */
export interface StoredTexts {
  one(row: number): string;
  /** Who tells each: together, they take half the time. */
  many(rows: readonly number[]): TextOf;
  /** The same, and they are at hand for whoever reads them next. */
  listed(rows: readonly number[]): TextOf;
}

/**
 * One version of one object: its JSON text, serialised once, and its parsed form, made when asked for. The parsed
 * form takes several times the memory of the text: the garbage collector may take it when nobody uses it. The text
 * itself is in memory for as long as it is news, and is read from the file afterwards: most objects are not asked for.
 */
export class Entry {
  readonly row: number;
  readonly type: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
  readonly owners: readonly string[];
  #text: string | undefined;
  #stored: StoredTexts | undefined;
  #object: WeakRef<KubeObject> | undefined;
  #isReplaced = false;
  #isPast = false;
  #isLeaving: boolean | undefined;

  constructor(facts: EntryFacts, object?: KubeObject) {
    this.row = facts.row;
    this.type = facts.type;
    this.namespace = facts.namespace;
    this.name = facts.name;
    this.uid = facts.uid;
    this.revision = facts.revision;
    this.owners = facts.owners.length > 0 ? facts.owners : noOwners;
    this.#isLeaving = facts.isLeaving;
    if (typeof facts.text === "string") this.#text = facts.text;
    else this.#stored = facts.text;
    if (object !== undefined) this.#object = new WeakRef(object);
  }

  get text(): string {
    return this.#text ?? this.#stored?.one(this.row) ?? "";
  }

  /** Whether it may be one that is being deleted. */
  get isLeaving(): boolean {
    this.#isLeaving ??= this.text.includes(leavingMark);
    return this.#isLeaving;
  }

  get object(): KubeObject {
    return this.#object?.deref() ?? this.#parsed(this.text);
  }

  #parsed(text: string): KubeObject {
    const object = readStored(text);
    if (!this.#isPast) this.#object = new WeakRef(object);
    return object;
  }

  /** As `text` of each, in their order. */
  static texts(entries: readonly Entry[]): string[] {
    const { stored, rows } = lackingOf(entries, (entry) => entry.#text === undefined && entry.#stored);
    const read = stored?.listed(rows) ?? none;
    // A version that is news, or past, has its own.
    return entries.map((entry) => entry.#text ?? read(entry.row) ?? entry.text);
  }

  /** As `object` of each, in their order. */
  static objects(entries: readonly Entry[]): KubeObject[] {
    const { stored, rows } = lackingOf(
      entries,
      (entry) => entry.#text === undefined && entry.#object?.deref() === undefined && entry.#stored,
    );
    const read = stored?.many(rows) ?? none;
    return entries.map(
      (entry) => entry.#object?.deref() ?? entry.#parsed(entry.#text ?? read(entry.row) ?? entry.text),
    );
  }

  /** It is not news any more, and in the file, unless another version is there in its place. */
  leaveToFile(stored: StoredTexts): void {
    if (this.#isReplaced) return;
    this.#stored = stored;
    this.#text = undefined;
    if (this.#object?.deref() === undefined) this.#object = undefined;
  }

  /** Another version has its place in the file. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /** Before another version takes its place in the file. */
  keepText(): void {
    this.#text = this.text;
    this.#isReplaced = true;
  }

  /** The other version did not come into the file. */
  takeBack(): void {
    this.#isReplaced = false;
  }

  /** A superseded version stays in the event log as text only. */
  becomePast(): void {
    this.#isPast = true;
    this.#object = undefined;
  }
}

/** Most objects have none: an empty list for each would be kept as long as the object. */
const noOwners: readonly never[] = [];
const none: TextOf = () => undefined;
/** So many are read sooner one by one. */
const fewRows = 4;

/** Those whose texts have to be read, and who reads them; nobody where they are few. */
function lackingOf(
  entries: readonly Entry[],
  storedTexts: (entry: Entry) => StoredTexts | undefined | false,
): { stored: StoredTexts | undefined; rows: readonly number[] } {
  const rows: number[] = [];
  let stored: StoredTexts | undefined;
  for (const entry of entries) {
    const texts = storedTexts(entry);
    if (!texts) continue;
    rows.push(entry.row);
    stored = texts;
  }
  return { stored: rows.length > fewRows ? stored : undefined, rows };
}

function readStored(text: string): KubeObject {
  const value = parseJson(text);
  if (!isKubeObject(value)) throw new Error(`stored text is not a Kubernetes object: ${text.slice(0, 80)}`);
  return value;
}
