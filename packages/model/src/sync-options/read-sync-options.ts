import { annotationKeys } from "../annotations.ts";
import type { Manifest } from "../manifest.ts";
import {
  type SyncOptionName,
  type SyncOptionRecord,
  syncOptionList,
  type syncOptionRecords,
} from "./sync-option-records.ts";

type Records = typeof syncOptionRecords;
type Decided<N extends SyncOptionName> = Records[N]["values"][keyof Records[N]["values"]];

/** What is decided of each option, by its name with a small first letter. */
export type SyncOptions = { readonly [N in SyncOptionName as Uncapitalize<N>]: Decided<N> };

/** Most objects list nothing, and each is asked many times. */
const nothingListed: ReadonlySet<string> = new Set();

/** The comma list of an annotation of an object. */
export function annotationList(manifest: Manifest | undefined, key: string): ReadonlySet<string> {
  const text = manifest?.metadata.annotations?.[key];
  if (text === undefined || text === "") return nothingListed;
  return new Set(text.split(",").map((part) => part.trim()));
}

/** Lists are read again and again, at each look at an application, and none is changed. */
const decided = new WeakMap<readonly string[], SyncOptions>();
const nothingSaid: readonly string[] = [];

/** What the list of an Application, or of an operation, decides. */
export function readSyncOptions(given: readonly string[] | undefined): SyncOptions {
  // JSON's null is nothing said too.
  const list = given ?? nothingSaid;
  const known = decided.get(list);
  if (known) return known;
  const said = new Set(list.map((text) => text.trim()));
  const options = decide(({ record, byDefault, texts }) =>
    record.saidBy === "object" ? byDefault : (saidIn(said, texts) ?? byDefault),
  );
  decided.set(list, options);
  return options;
}

/** The same of one object: its annotation wins over the application's list. */
export function objectSyncOptions(general: SyncOptions, target?: Manifest, live?: Manifest): SyncOptions {
  const said = annotationList(target, annotationKeys.syncOptions);
  const saidLive = annotationList(live, annotationKeys.syncOptions);
  if (said.size === 0 && saidLive.size === 0) return general;
  return decide(({ record, member, texts }) => {
    const own = record.saidBy === "application" ? undefined : saidIn(said, texts);
    return own ?? (record.alsoLive ? saidIn(saidLive, texts) : undefined) ?? general[member];
  });
}

/** What is decided of one option, for who goes through all of them. */
export function decidedOption(options: SyncOptions, name: SyncOptionName): Decision {
  return options[memberOf(name)];
}

const memberOf = (name: SyncOptionName) =>
  `${name[0]?.toLowerCase()}${name.slice(1)}` as Uncapitalize<SyncOptionName>;

type Decision = boolean | string;
type Texts = readonly (readonly [text: string, decision: Decision])[];

function saidIn(said: ReadonlySet<string>, texts: Texts): Decision | undefined {
  return texts.find(([text]) => said.has(text))?.[1];
}

interface Row {
  record: SyncOptionRecord;
  member: keyof SyncOptions;
  byDefault: Decision | undefined;
  texts: Texts;
}

const rows: readonly Row[] = syncOptionList.map(([name, record]) => ({
  record,
  member: memberOf(name),
  byDefault: record.values[record.byDefault],
  texts: Object.entries(record.values).map(([value, decision]) => [`${name}=${value}`, decision]),
}));

function decide(decisionOf: (row: Row) => Decision | undefined): SyncOptions {
  // Each member is one of its own record's values, which the type above is made of.
  return Object.fromEntries(rows.map((row) => [row.member, decisionOf(row)])) as SyncOptions;
}
