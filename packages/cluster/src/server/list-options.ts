import { parseLabelSelector, SelectorError } from "@capstan/formats";
import { badRequest, invalidOption } from "../objects/failures.ts";
import type { Served } from "../registry/served.ts";
import { Entry } from "../store/entry.ts";
import { ApiError } from "../types.ts";
import { fieldMatcher, selectedName } from "./field-selector.ts";
import { prepareEntries, readEntry } from "./represent.ts";

export interface Selection {
  matches(entry: Entry): boolean;
  /** False where everything matches. */
  narrow: boolean;
  /** The only name that can match. */
  name: string | undefined;
}

export function readSelection(served: Served, query: URLSearchParams): Selection {
  const labelText = query.get("labelSelector") ?? "";
  const fieldText = query.get("fieldSelector") ?? "";
  const labels = labelText === "" ? undefined : asked(() => parseLabelSelector(labelText));
  const fields = fieldText === "" ? undefined : asked(() => fieldMatcher(served, fieldText));
  return {
    matches: (entry) =>
      (labels === undefined || labels(labelsOf(served, entry))) &&
      (fields === undefined || fields(readEntry(served, entry))),
    narrow: labels !== undefined || fields !== undefined,
    name: selectedName(fieldText),
  };
}

/** Those that match, in their order. */
export function selectEntries(
  served: Served,
  { narrow, matches }: Selection,
  entries: readonly Entry[],
): readonly Entry[] {
  if (!narrow) return entries;
  prepareEntries(served, entries);
  // Read together, each stays for this turn.
  Entry.objects(entries);
  return entries.filter((entry) => matches(entry));
}

/** A conversion may change them. */
function labelsOf(served: Served, entry: Entry): Record<string, string> {
  const object = served.conversion === undefined ? entry.object : readEntry(served, entry);
  return object.metadata.labels ?? {};
}

function asked<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

export type RevisionMatch = "" | "NotOlderThan" | "Exact";

export interface RevisionDemand {
  /** undefined: not given; 0: any. */
  revision: number | undefined;
  match: RevisionMatch;
}

/** The rules of apimachinery's internalversion/validation ValidateListOptions. */
export function readRevision(query: URLSearchParams, isWatch: boolean): RevisionDemand {
  const text = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const initial = query.get("sendInitialEvents");
  if (match !== "" && match !== "NotOlderThan" && match !== "Exact")
    throw badMatch(
      "FieldValueNotSupported",
      `Unsupported value: "${match}": supported values: "Exact", "NotOlderThan", ""`,
    );
  if (isWatch) checkWatch(initial, match);
  else {
    if (initial !== null)
      throw invalidOption("ListOptions", {
        reason: "FieldValueForbidden",
        field: "sendInitialEvents",
        message: "Forbidden: sendInitialEvents is forbidden for list",
      });
    checkList({ text, match, hasContinue: query.has("continue") });
  }
  return { revision: text === "" ? undefined : parseRevision(text), match };
}

function checkWatch(initial: string | null, match: RevisionMatch): void {
  if (initial === null && match !== "")
    throw badMatch(
      "FieldValueForbidden",
      "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    );
  if (initial !== null && match !== "NotOlderThan")
    throw badMatch(
      "FieldValueForbidden",
      "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
    );
}

function checkList({
  text,
  match,
  hasContinue,
}: {
  text: string;
  match: RevisionMatch;
  hasContinue: boolean;
}): void {
  if (match === "") return;
  if (hasContinue)
    throw badMatch(
      "FieldValueForbidden",
      "Forbidden: resourceVersionMatch is forbidden when continue is provided",
    );
  if (text === "")
    throw badMatch(
      "FieldValueForbidden",
      "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
    );
  if (match === "Exact" && text === "0")
    throw badMatch(
      "FieldValueForbidden",
      'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    );
}

function badMatch(reason: string, message: string): ApiError {
  return invalidOption("ListOptions", { reason, field: "resourceVersionMatch", message });
}

export function parseRevision(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`,
  );
}

/** Asked for something that has not happened yet: the client holds versions of another cluster, or of a lost one. */
export function tooLarge(asked: number, current: number): ApiError {
  return new ApiError(504, "Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", field: "", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

export function readCount(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? "";
  if (text === "") return 0;
  if (!/^-?\d{1,15}$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return Number(text);
}

/** As apimachinery's Convert_Slice_string_To_bool: present, and neither "false" nor "0". */
export function isTrue(text: string | null): boolean {
  return text !== null && text !== "0" && text.toLowerCase() !== "false";
}
