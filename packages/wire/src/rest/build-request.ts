import type { Route } from "./route.ts";

export interface RestRequest {
  readonly method: string;
  /** Path with its query. */
  readonly url: string;
  /** JSON text; absent where the call has no body. */
  readonly body?: string;
}

/** Turns a request into what goes over the wire; the one place where clients build addresses. */
export function buildRequest<In extends object>(route: Route<In, unknown>, request: In): RestRequest {
  const fields = new Map<string, unknown>(Object.entries(request));
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name);
    fields.delete(name);
    if (typeof value !== "string" || value === "")
      throw new TypeError(`${route.method} ${route.path} needs ${name}`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const name of Object.keys(route.query)) {
    for (const value of [fields.get(name)].flat()) {
      if (value !== undefined && value !== null) query.append(name, String(value));
    }
    fields.delete(name);
  }
  const url = query.size > 0 ? `${path}?${query}` : path;
  if (route.body === undefined) return { method: route.method, url };
  const body = route.body === "*" ? Object.fromEntries(fields) : fields.get(route.body);
  return { method: route.method, url, body: JSON.stringify(body) };
}
