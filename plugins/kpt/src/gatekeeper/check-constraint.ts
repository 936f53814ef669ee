import { isRecord } from "@capstan/formats";
import { checkSchema, type SchemaProblem } from "../check-schema.ts";
import { PackageError } from "../trace-error.ts";

/** Names of namespaces and objects, with a star at one end (gatekeeper pkg/target wildcardNSPattern). */
const wildcard = "^(\\*|\\*-)?[a-z0-9]([-a-z0-9]*[a-z0-9])?$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\*|-\\*)?$";

const texts = { type: "array", items: { type: "string" } };
const selector = {
  type: "object",
  properties: {
    matchLabels: { type: "object", additionalProperties: { type: "string" } },
    matchExpressions: {
      type: "array",
      items: {
        type: "object",
        properties: {
          key: { type: "string" },
          operator: { type: "string", enum: ["In", "NotIn", "Exists", "DoesNotExist"] },
          values: texts,
        },
      },
    },
  },
};
const nullableTexts = { type: "array", items: {} };
/** gatekeeper pkg/target MatchSchema. */
const match = {
  type: "object",
  properties: {
    kinds: {
      type: "array",
      items: { type: "object", properties: { apiGroups: nullableTexts, kinds: nullableTexts } },
    },
    namespaces: texts,
    excludedNamespaces: texts,
    labelSelector: selector,
    namespaceSelector: selector,
    scope: { type: "string", enum: ["*", "Cluster", "Namespaced"] },
    name: { type: "string" },
  },
};

/** A constraint that its template's schema or gatekeeper's own does not allow is refused in the words of its CRD. */
export function checkConstraint(constraint: Readonly<Record<string, unknown>>, parameters: unknown): void {
  const schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: { match, enforcementAction: { type: "string" }, parameters: parameters ?? {} },
      },
    },
  };
  const [problem] = checkSchema(constraint, schema, { definitions: {}, strict: false });
  if (problem) throw new PackageError(`[].${describe(problem, constraint)}`);
  const spec = isRecord(constraint.spec) ? constraint.spec : {};
  const chosen = isRecord(spec.match) ? spec.match : {};
  checkNames("spec.match.namespaces", chosen.namespaces);
  checkNames("spec.match.excludedNamespaces", chosen.excludedNamespaces);
  checkNames("spec.match.name", chosen.name === undefined ? [] : [chosen.name]);
  checkSelector("spec.labelSelector", chosen.labelSelector);
  checkSelector("spec.namespaceSelector", chosen.namespaceSelector);
}

function checkNames(field: string, names: unknown): void {
  const wrong = (Array.isArray(names) ? names : []).find((name) => !new RegExp(wildcard).test(String(name)));
  if (wrong !== undefined)
    throw new PackageError(
      `[].${field}: Invalid value: ${JSON.stringify(wrong)}: ${field} in body should match '${wildcard}'`,
    );
}

/** metav1 ValidateLabelSelector. */
function checkSelector(field: string, chosen: unknown): void {
  const given = isRecord(chosen) ? chosen.matchExpressions : undefined;
  for (const [index, one] of (Array.isArray(given) ? given : []).entries()) {
    if (!isRecord(one)) continue;
    const count = Array.isArray(one.values) ? one.values.length : 0;
    const place = `${field}.matchExpressions[${index}].values`;
    const wantsValues = one.operator === "In" || one.operator === "NotIn";
    if (wantsValues && count === 0)
      throw new PackageError(
        `${place}: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      );
    if (!wantsValues && count > 0)
      throw new PackageError(
        `${place}: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
      );
  }
}

function describe({ path, problem }: SchemaProblem, constraint: unknown): string {
  const field = path.filter((part) => !/^\d+$/.test(part)).join(".");
  switch (problem.kind) {
    case "type":
      return `${field}: Invalid value: "${problem.got}": ${field} in body must be of type ${problem.want.at(-1)}: "${problem.got}"`;
    case "required":
      return `${[field, problem.missing[0]].join(".")}: Required value`;
    case "additional":
      return `${field}: Invalid value: ${problem.names.join(", ")} is not allowed`;
    default: {
      const found = path.reduce<unknown>(
        (value, key) =>
          Array.isArray(value) ? value[Number(key)] : isRecord(value) ? value[key] : undefined,
        constraint,
      );
      const values = problem.values.map((value) => JSON.stringify(value)).join(", ");
      return `${field}: Unsupported value: ${JSON.stringify(found)}: supported values: ${values}`;
    }
  }
}
