import { badRequest } from "../objects/failures.ts";
import { selectedName } from "./field-selector.ts";
import { isTrue } from "./list-options.ts";

/** What a request asks for, as its path and method say, whether or not it is served (apiserver RequestInfoFactory). */
export interface RequestInfo {
  readonly verb: string;
  readonly group: string;
  /** "" where the path names no resource. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** Of the path, or the one that a list selects. */
  readonly name: string;
  readonly path: string;
}

/** /api/<version>/… or /apis/<group>/<version>/…, part by part; "" for what is not there. */
export interface ResourceParts {
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  /** What follows the subresource. */
  readonly rest: readonly string[];
}

/** Read once: what is authorised is what is served. */
export interface ReadRequest {
  readonly info: RequestInfo;
  /** Undefined where the path has another form. */
  readonly parts: ResourceParts | undefined;
}

interface Asking {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: { readonly method: string };
}

/** Throws the Status 400 of a path that is no URL. */
export function readRequest({ path, query, request }: Asking): ReadRequest {
  const { method } = request;
  const words = path.replace(/^\//, "").replace(/\/$/, "").split("/").map(decodePart);
  const root = words.shift();
  const isResource = (root === "api" && words.length >= 2) || (root === "apis" && words.length >= 3);
  if (!isResource) {
    const none = { group: "", resource: "", subresource: "", namespace: "", name: "" };
    return { info: { ...none, verb: method.toLowerCase(), path }, parts: undefined };
  }
  const group = root === "apis" ? (words.shift() ?? "") : "";
  const version = words.shift() ?? "";
  // The former way to ask for a watch, whatever the method.
  const isWatch = words[0] === "watch";
  if (isWatch) words.shift();
  const { namespace, isInside, object } = splitNamespace(words);
  const [resource = "", name = "", subresource = "", ...rest] = object;
  const verb = isWatch ? "watch" : verbOf(method, name !== "", query);
  // kube-apiserver asks for the right to one object where a list selects one; deletecollection and the old watch have none.
  const isSelecting = !isWatch && (verb === "list" || verb === "watch");
  const chosen = name || (isSelecting ? selectedName(query.get("fieldSelector") ?? "") : undefined) || "";
  return {
    info: { verb, group, resource, subresource, namespace, name: chosen, path },
    parts: { group, version, namespace: isInside ? namespace : "", resource, name, subresource, rest },
  };
}

function decodePart(part: string): string {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw badRequest(`the path is not a valid URL: invalid escape in ${JSON.stringify(part.slice(0, 100))}`);
  }
}

const ofNamespaces: readonly (string | undefined)[] = ["status", "finalize"];

/** A namespace itself counts as being inside itself, for whoever is asked for the right to it. */
function splitNamespace(parts: readonly string[]) {
  if (parts[0] !== "namespaces") return { namespace: "", isInside: false, object: parts };
  const [, namespace = "", part] = parts;
  const isInside = parts.length > 2 && !ofNamespaces.includes(part);
  return { namespace, isInside, object: isInside ? parts.slice(2) : parts };
}

function verbOf(method: string, isSingle: boolean, query: URLSearchParams): string {
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
      return isTrue(query.get("watch")) ? "watch" : "list";
    default:
      return method.toLowerCase();
  }
}
