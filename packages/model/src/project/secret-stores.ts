import type { FieldProblem } from "../failures/failure.ts";

/** Where plugins get secrets from. */
const stores = [
  ...["vault", "aws", "gcp", "azure", "kubernetes", "sops"],
  ...["1password", "delinea", "ibm", "keeper", "yandex"],
];

/** What applications may use where neither their project nor the operator says otherwise. */
export const defaultSecretStores = "kubernetes:{namespace}";

/** For people who render on their own machine with what is their own. */
export const allSecretStores = "*";

/** For whom secrets are read; plain data, so that it can be said to another process. */
export interface SecretReader {
  project: string;
  /** `destination.namespace`. */
  namespace: string;
  /** The destination is the cluster that runs Capstan, whose Secrets are read: only there the namespace is its own. */
  isDestinationHere: boolean;
  /** Entries as the project's annotation or the operator says. */
  stores: string;
}

/** What a project may read. */
export interface SecretStores {
  permits(store: string, path: string): boolean;
  /** Throws a sentence that says who can permit it. */
  require(store: string, path: string): void;
  /** Differs where something else is permitted. */
  readonly digest: string;
}

interface Entry {
  store: string;
  path: readonly string[];
}

/**
 * The grammar of the annotation capstan.dev/secret-stores: entries with commas or line breaks between them, each
 * `STORE` or `STORE:PATH`, or `*` for all stores. PATH is segments with `/` between them, permits itself and all below;
 * in a segment `*` stands for any text, the segment `**` for any number of segments, `{namespace}` and `{project}`
 * for those of the application.
 */
export function readSecretStores(text: string): { entries: Entry[]; problems: string[] } {
  const entries: Entry[] = [];
  const problems: string[] = [];
  for (const written of text.split(/[,\n]/)) {
    const entry = written.trim();
    if (entry === "") continue;
    const colon = entry.indexOf(":");
    const store = colon < 0 ? entry : entry.slice(0, colon);
    const path = colon < 0 ? [] : segmentsOf(entry.slice(colon + 1).trim());
    if (store !== "*" && !stores.includes(store))
      problems.push(`"${entry}" names no secret store; there are ${stores.join(", ")} and * for all`);
    else if (!path || (colon >= 0 && path.length === 0))
      problems.push(
        `"${entry}" has no path: write ${store}:PATH with parts between slashes, or ${store} for all of it`,
      );
    else entries.push({ store, path });
  }
  return { entries, problems };
}

/** Problems of the annotation, for whoever writes the project. */
export function checkSecretStores(text: string, field: string): FieldProblem[] {
  return readSecretStores(text).problems.map((message) => ({ field, message, severity: "error" }));
}

/** undefined: one that a store could read as another, or as one above. */
function segmentsOf(path: string): string[] | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f\\?#%]/.test(path)) return undefined;
  const segments = path.replace(/^\//, "").replace(/\/$/, "").split("/");
  if (segments.length === 1 && segments[0] === "") return [];
  return segments.some((one) => one === "" || one === "." || one === "..") ? undefined : segments;
}

export function secretStoresOf(reader: SecretReader): SecretStores {
  const { entries } = readSecretStores(reader.stores);
  const permits = (store: string, path: string) => {
    const wanted = segmentsOf(path);
    if (!wanted || wanted.length === 0) return false;
    return entries.some(
      (one) => (one.store === "*" || one.store === store) && isWithin(one.path, wanted, reader),
    );
  };
  return {
    permits,
    require(store, path) {
      if (permits(store, path)) return;
      throw new Error(
        `project ${reader.project} may not use secret store ${store}:${path}. An operator can permit it in the annotation capstan.dev/secret-stores of the AppProject, or for all projects by --secret-stores`,
      );
    },
    digest: JSON.stringify(reader),
  };
}

/** Of a request to render: what its project's annotation says, else what the operator says for all. */
export function storesFor(
  request: Pick<SecretReader, "project" | "namespace"> & {
    isDestinationHere?: boolean;
    secretStores?: string;
  },
  fallback: string,
): SecretStores {
  const { project, namespace, isDestinationHere = false, secretStores: stores = fallback } = request;
  return secretStoresOf({ project, namespace, isDestinationHere, stores });
}

/** Whether the pattern matches the path's first segments, by trying each only once. */
function isWithin(pattern: readonly string[], path: readonly string[], reader: SecretReader): boolean {
  let open = new Set([0]);
  for (let at = 0; at <= path.length; at += 1) {
    for (const place of open) if (pattern[place] === "**") open.add(place + 1);
    if (open.has(pattern.length)) return true;
    const next = new Set<number>();
    for (const place of open) {
      const part = pattern[place];
      const segment = path[at];
      if (part === undefined || segment === undefined) continue;
      if (part === "**") next.add(place);
      else if (matches(part, segment, reader)) next.add(place + 1);
    }
    open = next;
  }
  return false;
}

/** `*` in a segment; what stands for the application's own is compared as it is, whatever signs it has. */
function matches(part: string, segment: string, reader: SecretReader): boolean {
  if (part === "{namespace}")
    return reader.isDestinationHere && reader.namespace !== "" && segment === reader.namespace;
  if (part === "{project}") return reader.project !== "" && segment === reader.project;
  const [first = "", ...rest] = part.split("*");
  const last = rest.pop();
  if (last === undefined) return part === segment;
  if (segment.length < first.length + last.length) return false;
  if (!segment.startsWith(first) || !segment.endsWith(last)) return false;
  let from = first.length;
  const end = segment.length - last.length;
  for (const piece of rest) {
    const found = segment.indexOf(piece, from);
    if (found < 0 || found + piece.length > end) return false;
    from = found + piece.length;
  }
  return true;
}
