import { isRecord } from "@capstan/formats";
import { goRegexp, quoteRegexp } from "@capstan/formats/re2";
import { groupVersionOf, metadataOf, textOf } from "./read-policies.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface Reviewed {
  object: Fields;
  kind: { group: string; version: string; kind: string };
  name: string;
  /** Empty where the resource has none. */
  namespace: string;
}

export function reviewOf(object: Fields): Reviewed {
  const [group, version] = groupVersionOf(object);
  const { name, namespace } = metadataOf(object);
  const kind = { group, version, kind: textOf(object.kind) };
  return { object, kind, name: textOf(name), namespace: textOf(namespace) };
}

/**
 * Whether a constraint's `match` chooses a resource, by the rules that gatekeeper's audit has in Rego (gatekeeper
 * pkg/target/regolib/src.rego). `namespaces`: the Namespaces among the resources.
 */
export function isMatched(match: Fields, review: Reviewed, namespaces: ReadonlyMap<string, Fields>): boolean {
  return (
    matchesKinds(match.kinds, review) &&
    matchesNamespaces(match, review) &&
    matchesNamespaceSelector(match, review, namespaces) &&
    matchesScope(match.scope, review) &&
    (match.name === undefined || matchesName(textOf(match.name), review.name)) &&
    matchesLabels(match.labelSelector, labelsOf(review.object))
  );
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function matchesKinds(kinds: unknown, { kind }: Reviewed): boolean {
  if (kinds === undefined || kinds === null) return true;
  return listOf(kinds).some((one) => {
    const has = (names: unknown, name: string) => listOf(names).some((each) => each === "*" || each === name);
    return isRecord(one) && has(one.apiGroups, kind.group) && has(one.kinds, kind.kind);
  });
}

function isNamespace({ kind }: Reviewed): boolean {
  return kind.group === "" && kind.kind === "Namespace";
}

function matchesNamespaces({ namespaces, excludedNamespaces }: Fields, review: Reviewed): boolean {
  if (isClusterWide(review)) return true;
  const name = isNamespace(review) ? review.name : review.namespace;
  const has = (names: unknown) =>
    listOf(names).some((one) => one === name || (/^\*|\*$/.test(textOf(one)) && glob(textOf(one), name)));
  return (namespaces === undefined || has(namespaces)) && !has(excludedNamespaces);
}

/** What no namespace can choose or leave out. */
function isClusterWide(review: Reviewed): boolean {
  return review.namespace === "" && !isNamespace(review);
}

function matchesNamespaceSelector(
  { namespaceSelector }: Fields,
  review: Reviewed,
  namespaces: ReadonlyMap<string, Fields>,
): boolean {
  if (namespaceSelector === undefined || isClusterWide(review)) return true;
  if (isNamespace(review)) return matchesLabels(namespaceSelector, labelsOf(review.object));
  const namespace = namespaces.get(review.namespace);
  return namespace !== undefined && matchesLabels(namespaceSelector, labelsOf(namespace));
}

function matchesScope(scope: unknown, { namespace }: Reviewed): boolean {
  if (scope === undefined || scope === "*") return true;
  return scope === "Namespaced" ? namespace !== "" : scope === "Cluster" && namespace === "";
}

/** A star in front stands for nothing here, other than in lists of namespaces. */
function matchesName(wanted: string, name: string): boolean {
  return wanted === name || (wanted.endsWith("*") && glob(wanted, name));
}

/** Rego's glob.match without delimiters: a star stops at a full stop. */
function glob(pattern: string, text: string): boolean {
  return goRegexp(`^${pattern.split("*").map(quoteRegexp).join("[^.]*")}$`).test(text);
}

function labelsOf(object: Fields): Fields {
  const { labels } = metadataOf(object);
  return isRecord(labels) ? labels : {};
}

function matchesLabels(selector: unknown, labels: Fields): boolean {
  if (!isRecord(selector)) return true;
  const wanted = isRecord(selector.matchLabels) ? Object.entries(selector.matchLabels) : [];
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    listOf(selector.matchExpressions).every((one) => !isRecord(one) || meets(one, labels))
  );
}

function meets({ key, operator, values }: Fields, labels: Fields): boolean {
  const found = labels[textOf(key)];
  const wanted = listOf(values);
  switch (operator) {
    case "In":
      return found !== undefined && (wanted.length === 0 || wanted.includes(found));
    case "NotIn":
      return !wanted.includes(found);
    case "Exists":
      return found !== undefined;
    default:
      return found === undefined;
  }
}
