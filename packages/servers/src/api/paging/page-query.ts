import { createHash } from "node:crypto";
import { CapstanError } from "@capstan/model";
import type { ListMeta } from "@capstan/wire";
import { KeptOrder, type Place } from "./kept-order.ts";

/** What a caller asks of a list that comes in pages. These parameters are Kubernetes' but `sort`. */
export interface PageQuery {
  /** Entries at most; absent or 0: all. */
  readonly limit?: number | undefined;
  /** What `metadata.continue` of the page before said. */
  readonly continue?: string | undefined;
  /** A field; with `-` in front from its end. */
  readonly sort?: string | undefined;
}

export interface Page {
  readonly limit: number;
  readonly sort: string;
  readonly isDescending: boolean;
  readonly after: Place | undefined;
  /** Resource version of the first page. */
  readonly version: string | undefined;
  /** Of what is asked for: a continue token of another question is refused. */
  readonly digest: string;
}

interface PageRules {
  /** What a list may be sorted by; the first is the default. */
  readonly sorts: readonly string[];
  /** The rest of the question, which all pages of a list share. */
  readonly question: unknown;
}

/** Throws INVALID_ARGUMENT. */
export function readPage(query: PageQuery, { sorts, question }: PageRules): Page {
  const { limit = 0, sort: given = "" } = query;
  if (!Number.isSafeInteger(limit) || limit < 0)
    throw refused("limit", `${limit} is not a number of entries: use 0 for all, or a page's size`);
  const isDescending = given.startsWith("-");
  const [byDefault = ""] = sorts;
  const sort = (isDescending ? given.slice(1) : given) || byDefault;
  if (!sorts.includes(sort))
    throw refused("sort", `a list is sorted by ${sorts.join(", ")}, or by one of them with - in front`);
  const digest = digestOf([sort, isDescending, question]);
  if (!query.continue) return { limit, sort, isDescending, digest, after: undefined, version: undefined };
  return { limit, sort, isDescending, digest, ...readToken(query.continue, digest) };
}

/** Longer ones nobody was given. */
const longestToken = 4096;
const longestKey = 512;

/** No more of a key takes part in an order, so that a token has its bounds. */
export function keyText(text: string): string {
  return text.length > longestKey ? text.slice(0, longestKey) : text;
}

/**
 * A token says where the page before ended: it is a place, not a right, and what is behind that place is looked at anew
 * each time. Its form may change with any version of Capstan.
 */
function readToken(token: string, digest: string): { after: Place; version: string } {
  const strange = "is not what metadata.continue of a page said: send that as it is";
  if (token.length > longestToken || !/^[\w-]+$/.test(token)) throw refused("continue", strange);
  const [about, version, key, id, ...more] = partsOf(token);
  if (typeof about !== "string" || typeof version !== "string" || typeof id !== "string" || more.length > 0)
    throw refused("continue", strange);
  const isKey = typeof key === "string" ? key.length <= longestKey : Number.isSafeInteger(key);
  if (!isKey || !/^\d{0,40}$/.test(version)) throw refused("continue", strange);
  if (about !== digest)
    throw refused(
      "continue",
      "is of a list with other filters or in another order: ask for the first page, without continue",
    );
  return { after: { key: typeof key === "number" ? key : String(key), id }, version };
}

function partsOf(token: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    return Array.isArray(parts) ? parts : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

interface PageOf<T> {
  readonly items: readonly T[];
  readonly metadata: ListMeta;
}

/** The entries of one page; how many more there are is counted, as far as they are wanted. */
export function takePage<T>(
  page: Page,
  order: KeptOrder<T>,
  { isWanted, placeOf, version }: { isWanted(value: T): boolean; placeOf(value: T): Place; version: string },
): PageOf<T> {
  const items: T[] = [];
  let remaining = 0;
  for (const value of order.from(page.after, page.isDescending)) {
    if (!isWanted(value)) continue;
    if (page.limit === 0 || items.length < page.limit) items.push(value);
    else remaining += 1;
  }
  // That of the first page: whoever watches from it hears of all that changed while he turned pages.
  const resourceVersion = page.version ?? version;
  const last = items.at(-1);
  if (remaining === 0 || last === undefined) return { metadata: { resourceVersion }, items };
  const token = pageToken(page, placeOf(last), resourceVersion);
  return { metadata: { resourceVersion, continue: token, remainingItemCount: remaining }, items };
}

/** What asks for the page behind a place. */
export function pageToken({ digest }: Page, { key, id }: Place, version: string): string {
  return Buffer.from(JSON.stringify([digest, version, key, id])).toString("base64url");
}

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}

/** A page of a list that is short enough to be sorted each time. */
export function pageByName<T extends Named>(page: Page, values: readonly T[], version: string): PageOf<T> {
  const placeOf = ({ metadata }: T): Place => ({
    key: metadata.name,
    id: `${metadata.namespace ?? ""}/${metadata.name}`,
  });
  return takePage(page, new KeptOrder(values, placeOf), { isWanted: () => true, placeOf, version });
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 16);
}

function refused(field: string, problem: string): CapstanError {
  return new CapstanError({ code: "INVALID_ARGUMENT", field, problem });
}
