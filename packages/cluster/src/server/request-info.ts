/** What a request asks for, as its path and method say, whether or not it is served (apiserver RequestInfoFactory). */
export interface RequestInfo {
  readonly verb: string;
  readonly group: string;
  /** "" where the path names no resource. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
}

interface Asking {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: { readonly method: string };
}

export function readRequestInfo({ path, query, request }: Asking): RequestInfo {
  const parts = path.split("/").filter((part) => part !== "");
  const root = parts.shift();
  const isResource = (root === "api" && parts.length >= 2) || (root === "apis" && parts.length >= 3);
  if (!isResource) {
    const verb = request.method.toLowerCase();
    return { verb, group: "", resource: "", subresource: "", namespace: "", name: "", path };
  }
  const group = root === "apis" ? (parts.shift() ?? "") : "";
  parts.shift();
  const isWatch = parts[0] === "watch";
  if (isWatch) parts.shift();
  const [namespace, [resource = "", name = "", subresource = ""]] = splitNamespace(parts);
  const chosen = name || nameSelected(request.method, query);
  const verb = isWatch ? "watch" : verbOf(request.method, name !== "", query);
  return { verb, group, resource, subresource, namespace, name: chosen, path };
}

const ofNamespaces: readonly (string | undefined)[] = ["status", "finalize"];

/** A namespace itself counts as being inside itself. */
function splitNamespace(parts: readonly string[]): [string, readonly string[]] {
  if (parts[0] !== "namespaces") return ["", parts];
  const [, namespace = "", part] = parts;
  const isInside = parts.length > 2 && !ofNamespaces.includes(part);
  return [namespace, isInside ? parts.slice(2) : parts];
}

function verbOf(method: string, isSingle: boolean, query: URLSearchParams): string {
  const watch = query.get("watch");
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return isSingle ? "delete" : "deletecollection";
    case "GET":
    case "HEAD":
      if (isSingle) return "get";
      return watch !== null && watch !== "false" && watch !== "0" ? "watch" : "list";
    default:
      return method.toLowerCase();
  }
}

/** A list that selects one name asks for that one. */
function nameSelected(method: string, query: URLSearchParams): string {
  if (method !== "GET" && method !== "DELETE") return "";
  return /(?:^|,)metadata\.name==?([^,=!]+)(?:,|$)/.exec(query.get("fieldSelector") ?? "")?.[1] ?? "";
}
