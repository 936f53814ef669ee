import { isRecord, stringifyJson } from "@capstan/formats";
import { byCodePoint, toJson, toValue } from "@capstan/krm-yaml";
import { CapstanError } from "@capstan/model";
import type { FunctionEnd, KrmFunction, ResultItem, RunPolicies } from "../function.ts";
import { describeResult } from "../function-results.ts";
import { annotationOf, type Item, notes } from "../item.ts";
import { PackageError } from "../trace-error.ts";
import { isMatched, type Reviewed, reviewOf } from "./match-constraint.ts";
import { type Constraint, type Policies, readPolicies, targetName } from "./read-policies.ts";

/**
 * Holds resources to the ConstraintTemplates and constraints among them, as the catalog's gatekeeper does by the
 * libraries of `gator test`: opa evaluates the Rego, all else is done here.
 */
export const gatekeeper: KrmFunction = async (list, { runPolicies }) => {
  try {
    list.results = await audit(list.items, runPolicies);
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    list.results = [{ message: error.message, severity: "error" }];
  }
  return endOf(list.results);
};

function endOf(results: readonly ResultItem[]): FunctionEnd | undefined {
  if (!results.some(({ severity }) => severity === "error")) return undefined;
  const lines = results.map((result) => describeResult({ ...result, field: { path: "" } }));
  return { exitCode: 1, stderr: lines.join("\n\n") };
}

async function audit(items: readonly Item[], runPolicies: RunPolicies | undefined): Promise<ResultItem[]> {
  const reviews = reviewsOf(items);
  const policies = readPolicies([...reviews.values()].map(({ object }) => object));
  if (policies.templates.size === 0) return [];
  if (!runPolicies) throw new PackageError("there is no folder to run opa in");
  const pairs = pairsOf(policies, reviews);
  const printed = await evaluate(policies, { pairs, inventory: inventoryOf(reviews.values()) }, runPolicies);
  const results = readViolations(printed).map(({ pair, message }) => {
    const found = pairs[pair];
    if (!found) throw new PackageError("opa answered of something that it was not asked");
    return resultOf(found, message);
  });
  return results.sort(inOrder);
}

/** What has the same kind, namespace and name as something further down is not seen. */
function reviewsOf(items: readonly Item[]): Map<string, Reviewed & { item: Item }> {
  const reviews = new Map<string, Reviewed & { item: Item }>();
  for (const item of items) {
    const object = toJson(toValue(item.root));
    if (!isRecord(object)) continue;
    const review = reviewOf(object);
    reviews.set(JSON.stringify([object.apiVersion, review.kind.kind, review.namespace, review.name]), {
      ...review,
      item,
    });
  }
  return reviews;
}

interface Pair {
  review: Reviewed & { item: Item };
  constraint: Constraint;
  template: string;
}

function pairsOf({ templates, constraints }: Policies, reviews: ReadonlyMap<string, Pair["review"]>): Pair[] {
  const namespaces = new Map(
    [...reviews.values()]
      .filter(({ object }) => object.kind === "Namespace" && object.apiVersion === "v1")
      .map(({ name, object }) => [name, object]),
  );
  return constraints.flatMap((constraint) => {
    const template = templates.get(constraint.kind)?.id ?? "";
    const chosen = [...reviews.values()].filter((one) => isMatched(constraint.match, one, namespaces));
    return chosen.map((review) => ({ review, constraint, template }));
  });
}

/** All resources as policies find them: data.inventory.namespace[namespace][version][kind][name], and cluster. */
function inventoryOf(reviews: Iterable<Reviewed>): unknown {
  const root: Record<string, unknown> = {};
  for (const { object, kind, name, namespace } of reviews) {
    const place = namespace === "" ? ["cluster"] : ["namespace", namespace];
    const path = [...place, String(object.apiVersion), kind.kind];
    let below = root;
    for (const key of path) {
      const next = Object.hasOwn(below, key) ? below[key] : undefined;
      const fresh = isRecord(next) ? next : {};
      Object.defineProperty(below, key, {
        value: fresh,
        enumerable: true,
        configurable: true,
        writable: true,
      });
      below = fresh;
    }
    Object.defineProperty(below, name, {
      value: object,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return root;
}

/** A set, so that what differs in nothing that is told comes once; static, so that opa checks what a rule gives. */
const queryOf = (template: string): string => `package capstan

violations[[index, violation.msg, details]] {
  pair := input.pairs[index]
  pair.template == "${template}"
  asked := {"review": input.reviews[pair.review], "parameters": pair.parameters}
  data.templates.${template}.main.violation[violation] with input as asked
  details := object.get(violation, "details", {})
}
`;

async function evaluate(
  { modules, templates }: Policies,
  { pairs, inventory }: { pairs: readonly Pair[]; inventory: unknown },
  runPolicies: RunPolicies,
): Promise<unknown> {
  const reviews = [...new Set(pairs.map(({ review }) => review))];
  const input = {
    reviews: reviews.map(({ object, kind, name, namespace }) => ({
      ...{ object, kind, name },
      ...(namespace === "" ? {} : { namespace }),
    })),
    pairs: pairs.map(({ review, constraint, template }) => ({
      review: reviews.indexOf(review),
      template,
      parameters: constraint.parameters,
    })),
  };
  const files = new Map([
    ...[...modules].map(([name, source]) => [`templates/${name}`, source] as const),
    ...[...templates].map(([kind, { id }]) => [`queries/${kind.toLowerCase()}.rego`, queryOf(id)] as const),
    ["inventory.json", stringifyJson({ inventory })],
    ["input.json", stringifyJson(input)],
  ]);
  try {
    return JSON.parse(await runPolicies(files, "data.capstan.violations"));
  } catch (error) {
    if (!(error instanceof CapstanError) || error.failure.code !== "TOOL_FAILED") throw error;
    throw new PackageError(describeFailure(error.failure.stderr));
  }
}

/** What opa says of a policy, after the template's name where it is none that can run. */
function describeFailure(told: string): string {
  const name = /\b(?:templates|queries)\/(.*?)(?:-lib-\d+)?\.rego:\d+: rego_/.exec(told)?.[1];
  const place = name === undefined ? targetName : `adding template "${name}": invalid ConstraintTemplate`;
  return `${place}: ${told.replaceAll("templates/", "").trim()}`;
}

function readViolations(printed: unknown): { pair: number; message: string }[] {
  if (!Array.isArray(printed)) throw new PackageError("opa printed no list of violations");
  return printed.map((one: unknown) => {
    const [pair, message]: unknown[] = Array.isArray(one) ? one : [];
    if (typeof message !== "string")
      throw new PackageError(
        `${targetName}: msg of a violation must be a text; it is ${JSON.stringify(message)}`,
      );
    return { pair: Number(pair), message };
  });
}

function resultOf(
  { review: { item, object, name, namespace }, constraint }: Pair,
  message: string,
): ResultItem {
  const severities: Readonly<Record<string, string>> = { dryrun: "info", warn: "warning" };
  const path = annotationOf(item, notes.legacyPath);
  const index = Number(annotationOf(item, notes.legacyIndex) || 0);
  return {
    message: `${message}\nviolatedConstraint: ${constraint.name}`,
    severity: severities[constraint.action] ?? "error",
    resourceRef: {
      apiVersion: String(object.apiVersion),
      kind: String(object.kind),
      name,
      ...(namespace === "" ? {} : { namespace }),
    },
    ...(path === "" ? {} : { file: { path, ...(index === 0 ? {} : { index }) } }),
  };
}

const severityOrder = ["error", "warning", "info"];

/** By file, severity, resource and message (catalog gatekeeper/validate.go sortResultItems). */
function inOrder(one: ResultItem, other: ResultItem): number {
  const textOf = ({ resourceRef, message }: ResultItem): string => {
    const { apiVersion = "", kind = "", name = "", namespace = "" } = resourceRef ?? {};
    return `{{${apiVersion} ${kind}} {${name} ${namespace}}},${message}`;
  };
  return (
    byCodePoint(one.file?.path ?? "", other.file?.path ?? "") ||
    (one.file?.index ?? 0) - (other.file?.index ?? 0) ||
    severityOrder.indexOf(one.severity ?? "") - severityOrder.indexOf(other.severity ?? "") ||
    byCodePoint(textOf(one), textOf(other))
  );
}
