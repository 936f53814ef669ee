import type { GeneratedApplication } from "./generate-applications.ts";

interface Names {
  readonly byName: ReadonlyMap<string, readonly GeneratedApplication[]>;
  /** In their order. */
  readonly names: readonly string[];
  readonly wanted: ReadonlySet<string>;
  /** Kubernetes takes all of them. */
  readonly isNamed: boolean;
}

/** What was generated stays while single Applications change: it is sorted once. */
const sorted = new WeakMap<readonly GeneratedApplication[], Names>();

export function namesOf(generated: readonly GeneratedApplication[]): Names {
  const known = sorted.get(generated);
  if (known) return known;
  const byName = Map.groupBy(generated, ({ application }) => application.metadata.name);
  const names = [...byName.keys()].sort();
  const isNamed = names.every((name) => nameProblem(name) === undefined);
  const made = { byName, names, wanted: new Set(names), isNamed };
  sorted.set(generated, made);
  return made;
}

/** RFC 1123, as the API server asks for it. */
const namePattern = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

export function nameProblem(name: string): string | undefined {
  if (name === "") return "its name is empty; until it has one nothing of the set is deleted";
  return namePattern.test(name)
    ? undefined
    : 'its name is none that Kubernetes takes (small letters, digits, "-" and ".", 253 at most); until it is, nothing of the set is deleted';
}
