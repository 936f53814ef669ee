import { isObject, listAt, objectAt, textAt } from "../schema/json.ts";
import type { ResolvedSchema } from "../schema/resolved-schema.ts";
import type { KubeObject, ResourceInfo, Schema } from "../types.ts";
import { compile } from "./expression.ts";
import { compileScope } from "./policy-scope.ts";

/** A kind that a policy is about. */
export interface Subject {
  readonly info: Pick<ResourceInfo, "group" | "version" | "kind">;
  schema(): ResolvedSchema;
}

export interface Subjects {
  readonly objects: readonly Subject[];
  readonly params: Subject | undefined;
}

export interface Warning {
  readonly fieldRef: string;
  readonly warning: string;
}

/** What of a policy's expressions does not fit the kinds that it is about (apiserver policy/validating/typechecking.go). */
export function typeWarnings(policy: KubeObject, { objects, params }: Subjects): Warning[] {
  const paramSchema = params && expand(params.schema());
  const checks = objects.map((subject) => {
    const { scope } = compileScope(policy, { object: expand(subject.schema()), params: paramSchema });
    return (expression: string): string => {
      const compiled = compile(scope, expression);
      return "problem" in compiled ? `${kindText(subject)}: ${compiled.problem}\n` : "";
    };
  });
  const check = (fieldRef: string, expression: string): Warning[] => {
    const warning = checks
      .map((one) => one(expression))
      .filter(Boolean)
      .join("\n");
    return expression === "" || warning === "" ? [] : [{ fieldRef, warning }];
  };
  return listAt(policy, "spec", "validations")
    .filter(isObject)
    .flatMap((validation, index) =>
      ["expression", "messageExpression"].flatMap((name) =>
        check(`spec.validations[${index}].${name}`, textAt(validation, name)),
      ),
    );
}

const kindText = ({ info }: Subject): string => {
  const { group, version, kind } = info;
  return `${group}/${version}, Kind=${kind}`;
};

/** Values of these are no JSON objects of known fields. */
const opaque = new Set(["RawExtension", "FieldsV1", "JSONSchemaProps", "JSON", "Quantity", "IntOrString"]);

/** A schema without references, in which what may be anything has no type. */
function expand(node: ResolvedSchema): Schema {
  const { schema, items, values } = node;
  if (opaque.has(node.goName) || schema["x-kubernetes-int-or-string"] === true) return {};
  const { type, format } = schema;
  const properties = node.fieldNames.flatMap((name) => {
    const field = node.property(name);
    return field === undefined ? [] : [[name, expand(field)] as const];
  });
  return {
    ...(type !== undefined && { type }),
    ...(format !== undefined && { format }),
    ...(node.preserved && { "x-kubernetes-preserve-unknown-fields": true }),
    ...(node.listType === "set" && { "x-kubernetes-list-type": "set" }),
    ...(items && { items: expand(items) }),
    ...(values && { additionalProperties: expand(values) }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
  };
}

/** As many kinds as kube-apiserver looks at in a rule. */
const mostKinds = 10;

/** The kinds that the rules of a policy name: none where they use wildcards. */
export function subjectsOf(policy: KubeObject, find: (names: Names) => Subject | undefined): Subject[] {
  const rules = listAt(objectAt(policy, "spec", "matchConstraints"), "resourceRules").filter(isObject);
  const found = new Map<string, Subject>();
  for (const rule of rules)
    for (const names of namesIn(rule)) {
      const subject = find(names);
      if (subject !== undefined) found.set(kindText(subject), subject);
    }
  return [...found].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, subject]) => subject);
}

export interface Names {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

function namesIn(rule: object): Names[] {
  const textsAt = (list: string) => listAt(rule, list).map(String).sort();
  const [groups, versions] = [textsAt("apiGroups"), textsAt("apiVersions")];
  if ([...groups, ...versions].some((name) => name.includes("*"))) return [];
  const resources = textsAt("resources").filter((name) => !/[*/]/.test(name));
  return groups
    .flatMap((group) =>
      versions.flatMap((version) => resources.map((resource) => ({ group, version, resource }))),
    )
    .slice(0, mostKinds);
}
