import { badRequest, expired } from "../objects/failures.ts";
import type { World } from "../objects/world.ts";
import { byteOrder } from "../store/collection.ts";
import type { Entry } from "../store/entry.ts";
import { ApiError, type ApiResponse, isRecord } from "../types.ts";
import type { ResourceCall } from "./call.ts";
import {
  readCount,
  readRevision,
  readSelection,
  type Selection,
  selectEntries,
  tooLarge,
} from "./list-options.ts";
import { jsonFault } from "./read-object.ts";
import { answerList, type ListFacts, prepareEntries } from "./represent.ts";

/** A place in a list at one revision. Other words for etcd's key and revision in kube-apiserver's token. */
interface Token {
  revision: number;
  namespace: string;
  name: string;
  /** When the first page was answered; undefined where the token does not tell. */
  startMs: number | undefined;
}

/** apiserver storagebackend DefaultCompactInterval: clients see a listing end there that takes longer. */
const listingLimitMs = 300_000;

export interface Page {
  entries: readonly Entry[];
  list: ListFacts;
}

export function listObjects(world: World, call: ResourceCall): Promise<ApiResponse> {
  const selection = readSelection(call.served, call.query);
  return world.store.read(() => answerList(world.clock, call, readPage(world, call, selection)));
}

export function readPage(
  { store, clock }: Pick<World, "store" | "clock">,
  call: ResourceCall,
  selection: Selection,
): Page {
  const { query } = call;
  const limit = readCount(query, "limit");
  const { revision, match } = readRevision(query, false);
  const token = query.get("continue") ? readToken(query.get("continue") ?? "") : undefined;
  if (token !== undefined && isOver(token, clock.now())) throw new TokenExpired(withoutRevision(token));
  if (token !== undefined && revision !== undefined && revision > 0)
    throw badRequest("specifying resource version is not allowed when using continue");
  if (revision !== undefined && revision > store.revision) throw tooLarge(revision, store.revision);
  const exact =
    token?.revision || (match === "Exact" || (limit > 0 && match === "" && revision) ? revision : undefined);
  const at = exact ?? store.revision;
  const found =
    exact === undefined ? current(store, call, selection) : past({ store, call, revision: exact, token });
  const inScope = found.filter(
    (entry) => (call.namespace === "" || entry.namespace === call.namespace) && isAfter(entry, token),
  );
  const matching = selectEntries(call.served, selection, inScope);
  const entries = limit > 0 ? matching.slice(0, limit) : matching;
  prepareEntries(call.served, entries);
  const last = entries.at(-1);
  // The reading ends with the last that is answered: what follows has not been looked at (storage/cacher GetList).
  const isFull = limit > 0 && entries.length === limit && last !== undefined;
  const remaining = isFull ? inScope.length - inScope.indexOf(last) - 1 : 0;
  const list: ListFacts = { resourceVersion: String(at) };
  if (remaining > 0 && last !== undefined) {
    const startMs = token?.revision ? token.startMs : clock.now();
    list.continue = writeToken({ revision: at, namespace: last.namespace, name: last.name, startMs });
    // kube-apiserver cannot count with selectors; clients take the field's absence as "unknown".
    if (!selection.narrow) list.remainingItemCount = remaining;
  }
  return { entries, list };
}

function current(store: World["store"], { served, namespace }: ResourceCall, { name }: Selection): Entry[] {
  if (name !== undefined && (namespace !== "" || !served.info.namespaced)) {
    const entry = store.get(served.type, namespace, name);
    return entry === undefined ? [] : [entry];
  }
  return store.list(served.type, served.info.namespaced && namespace !== "" ? namespace : undefined);
}

interface PastInput {
  store: World["store"];
  call: ResourceCall;
  revision: number;
  token: Token | undefined;
}

function past({ store, call, revision, token }: PastInput): Entry[] {
  const entries = store.listAt(call.served.type, revision);
  if (entries !== undefined) return entries;
  if (token === undefined) throw expired(`The resourceVersion for the provided list is too old.`);
  throw new TokenExpired(withoutRevision(token));
}

function isOver({ revision, startMs }: Token, nowMs: number): boolean {
  return revision > 0 && startMs !== undefined && nowMs - startMs > listingLimitMs;
}

function withoutRevision(token: Token): string {
  return writeToken({ ...token, revision: 0, startMs: undefined });
}

/** Carries a token with which the list goes on at the newest revision (apiserver etcd3 handleCompactedErrorForContinue). */
export class TokenExpired extends ApiError {
  readonly continue: string;
  constructor(token: string) {
    super(
      410,
      "Expired",
      "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    );
    this.continue = token;
  }
}

function isAfter(entry: Entry, token: Token | undefined): boolean {
  if (token === undefined) return true;
  return (byteOrder(entry.namespace, token.namespace) || byteOrder(entry.name, token.name)) > 0;
}

function writeToken({ revision, namespace, name, startMs }: Token): string {
  const text = JSON.stringify({
    v: "meta.k8s.io/v1",
    rv: revision === 0 ? -1 : revision,
    start: `${namespace}/${name}`,
    ...(startMs !== undefined && { at: startMs }),
  });
  return Buffer.from(text).toString("base64url");
}

function readToken(text: string): Token {
  const value = parseToken(Buffer.from(text, "base64url").toString());
  const { rv, start, at } = value;
  if (typeof rv !== "number" || typeof start !== "string" || !start.includes("/"))
    throw badRequest(
      "invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    );
  const slash = start.indexOf("/");
  return {
    revision: Math.max(rv, 0),
    namespace: start.slice(0, slash),
    name: start.slice(slash + 1),
    startMs: typeof at === "number" ? at : undefined,
  };
}

function parseToken(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw badRequest(`invalid continue token: continue key is not valid: ${jsonFault(error, text)}`);
  }
  throw badRequest("invalid continue token: continue key is not valid: not an object");
}
