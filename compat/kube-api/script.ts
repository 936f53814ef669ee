/** The language of the cases: requests in order, in a namespace of their own, with what one answer gives to the next. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/**
 * In paths, headers and bodies `<ns>` is the namespace of the case, `<id>` a name and `<ip>` an address that no
 * other case uses, and `<x>` what an earlier step captured as x.
 */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: JsonObject | readonly Json[] | string;
  /** Name → path in the answer, such as "metadata.resourceVersion". */
  readonly capture?: Readonly<Record<string, string>>;
  /** A watch: how many events to read before leaving. */
  readonly events?: number;
  /** Asked again until the answer has this status: for what happens in the background. */
  readonly until?: number;
  /** Asked again until the answer has this in it: for what controllers write. */
  readonly untilText?: string;
  /** What is answered is not compared: it holds an address. */
  readonly unseen?: boolean;
  /** Waited for before it is asked. */
  readonly pauseMs?: number;
}

export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
  /** What the webhook server was asked is compared, too. */
  readonly calls?: boolean;
}

type Extra = Omit<Step, "method" | "path" | "body">;

export const get = (path: string, extra: Extra = {}): Step => ({ method: "GET", path, ...extra });
export const post = (path: string, body: Step["body"] & {}, extra: Extra = {}): Step => ({
  method: "POST",
  path,
  body,
  ...extra,
});
export const put = (path: string, body: Step["body"] & {}, extra: Extra = {}): Step => ({
  method: "PUT",
  path,
  body,
  ...extra,
});
export const remove = (path: string, body?: Step["body"] & {}, extra: Extra = {}): Step => ({
  method: "DELETE",
  path,
  ...(body !== undefined && { body }),
  ...extra,
});
export const watch = (path: string, events: number, extra: Extra = {}): Step => ({
  method: "GET",
  path: withQuery(path, "watch=true&timeoutSeconds=20"),
  events,
  ...extra,
});

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

export type PatchType = keyof typeof patchTypes;

export const patch = (type: PatchType, path: string, body: Step["body"] & {}): Step => ({
  method: "PATCH",
  path,
  body,
  headers: { "content-type": patchTypes[type] },
});

export const apply = (
  path: string,
  body: Step["body"] & {},
  extra: Extra & { manager?: string; force?: boolean; query?: string } = {},
): Step => {
  const { manager = "one", force = false, query = "", ...rest } = extra;
  const asked = [`fieldManager=${manager}`, force ? "force=true" : "", query].filter((part) => part !== "");
  const step = patch("apply", withQuery(path, asked.join("&")), body);
  return { ...step, ...rest, headers: { ...step.headers, ...rest.headers } };
};

export function withQuery(path: string, query: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

/** RFC 7396, for writing one object as a change of another. */
export function merged(object: JsonObject, change: JsonObject): JsonObject {
  const result: Record<string, Json | undefined> = { ...object };
  for (const [key, value] of Object.entries(change)) {
    const before = result[key];
    if (value === null) delete result[key];
    else if (isObject(value)) result[key] = merged(isObject(before) ? before : {}, value);
    else result[key] = value;
  }
  return result;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function at(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.split("."))
    found = Array.isArray(found) ? found[Number(key)] : isObject(found) ? found[key] : undefined;
  return found;
}
