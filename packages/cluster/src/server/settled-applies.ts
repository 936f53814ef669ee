import { hash } from "node:crypto";
import type { Served } from "../registry/served.ts";
import type { Entry } from "../store/entry.ts";
import type { ResourceCall } from "./call.ts";

interface Settled {
  readonly served: Served;
  readonly request: string;
}

/**
 * The last apply that found its object as it wants it, without a word to the client, by the version that it found: the
 * same request finds it so again, whoever sends it, as long as nobody else has a say in it.
 */
const settled = new WeakMap<Entry, Settled>();

/** All that the outcome of an apply is made of, beside the object. The namespace and the name are the object's. */
export function applyRequestKey({ request, query, subresource }: ResourceCall): string {
  return hash("sha256", `${subresource}\n${query}\n${request.body ?? ""}`, "base64");
}

export function isSettledApply(live: Entry, { served }: ResourceCall, request: string): boolean {
  const last = settled.get(live);
  return last?.request === request && last.served === served;
}

export function settleApply(live: Entry, { served }: ResourceCall, request: string): void {
  settled.set(live, { served, request });
}
