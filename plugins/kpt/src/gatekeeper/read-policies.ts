import { isRecord } from "@capstan/formats";
import { groupOf, messageOf, versionOf } from "@capstan/model";
import { PackageError } from "../trace-error.ts";
import { checkConstraint } from "./check-constraint.ts";
import { rewriteEntry, rewriteLibrary } from "./rewrite-rego.ts";

export const targetName = "admission.k8s.gatekeeper.sh";

export interface Policies {
  /** File names and sources. */
  modules: ReadonlyMap<string, string>;
  /** By the kind of their constraints. */
  templates: ReadonlyMap<string, Template>;
  constraints: readonly Constraint[];
}

export interface Template {
  /** Its rules stand in the data below `templates` and this. */
  id: string;
  schema: unknown;
}

export interface Constraint {
  name: string;
  kind: string;
  action: string;
  match: Readonly<Record<string, unknown>>;
  parameters: unknown;
}

type Objects = readonly Readonly<Record<string, unknown>>[];

/** Templates and constraints among the resources, refused as gatekeeper refuses them (gator/test Test). */
export function readPolicies(objects: Objects): Policies {
  const modules = new Map<string, string>();
  const templates = new Map<string, Template>();
  for (const object of objects) {
    const [group, version] = groupVersionOf(object);
    if (group !== "templates.gatekeeper.sh" || object.kind !== "ConstraintTemplate") continue;
    const name = nameOf(object);
    if (!["v1", "v1beta1", "v1alpha1"].includes(version))
      throw new PackageError(
        `converting unstructured "${name}" to template: adding template: no kind "ConstraintTemplate" is registered for version "${group}/${version}"`,
      );
    within(`adding template "${name}"`, () => addTemplate(object, { name, modules, templates }));
  }
  const constraints: Constraint[] = [];
  for (const object of objects) {
    if (groupVersionOf(object)[0] !== "constraints.gatekeeper.sh") continue;
    const read = () => readConstraint(object, templates);
    constraints.push(within(`adding constraint "${nameOf(object)}"`, read));
  }
  return { modules, templates, constraints };
}

function within<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    throw new PackageError(`${what}: ${messageOf(error)}`);
  }
}

export function groupVersionOf({ apiVersion }: Readonly<Record<string, unknown>>): [string, string] {
  const text = String(apiVersion);
  return [groupOf(text), versionOf(text)];
}

export function metadataOf(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return isRecord(object.metadata) ? object.metadata : {};
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function nameOf(object: Readonly<Record<string, unknown>>): string {
  return textOf(metadataOf(object).name);
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((found, key) => (isRecord(found) ? found[key] : undefined), value);
}

interface Added {
  name: string;
  modules: Map<string, string>;
  templates: Map<string, Template>;
}

function addTemplate(object: Readonly<Record<string, unknown>>, { name, modules, templates }: Added): void {
  const kind = textOf(at(object, "spec", "crd", "spec", "names", "kind"));
  if (kind === "")
    throw new PackageError(
      `invalid ConstraintTemplate: ConstraintTemplate "${name}" does not specify CRD Kind`,
    );
  if (kind.toLowerCase() !== name || !/^[a-z0-9][-.a-z0-9]*$/.test(name))
    throw new PackageError(
      `invalid ConstraintTemplate: the ConstraintTemplate's name "${name}" is not equal to the lowercase of CRD's Kind: "${kind.toLowerCase()}"`,
    );
  const target = readTarget(object, name);
  const id = `t${templates.size}`;
  const prefix = `templates.${id}`;
  const libraries = Array.isArray(target.libs) ? target.libs.map(textOf) : [];
  try {
    const main = rewriteEntry(textOf(target.rego), prefix);
    if (!main.names.has("violation"))
      throw new PackageError("invalid rego: invalid module: missing required rules: [violation]");
    modules.set(`${name}.rego`, main.source);
    for (const [index, library] of libraries.entries())
      modules.set(`${name}-lib-${index}.rego`, rewriteLibrary(library, prefix).source);
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    throw new PackageError(`invalid ConstraintTemplate: ${error.message}`);
  }
  templates.set(kind, { id, schema: at(object, "spec", "crd", "spec", "validation", "openAPIV3Schema") });
}

function readTarget(object: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  const targets = at(object, "spec", "targets");
  const refuse = (problem: string) =>
    new PackageError(
      `failed to validate targets for template ${name}: invalid ConstraintTemplate: ${problem}`,
    );
  if (!Array.isArray(targets) || targets.length === 0)
    throw refuse(`field "targets" not specified in ConstraintTemplate spec`);
  const [target] = targets;
  if (targets.length > 1 || !isRecord(target)) throw refuse("expected exactly 1 item in targets");
  if (target.target !== targetName)
    throw refuse(`target "${textOf(target.target)}" not recognized, known targets [${targetName}]`);
  return target;
}

function readConstraint(
  object: Readonly<Record<string, unknown>>,
  templates: ReadonlyMap<string, Template>,
): Constraint {
  const kind = textOf(object.kind);
  const template = templates.get(kind);
  if (!template) {
    const known = [...templates.keys()].sort().join(" ");
    throw new PackageError(
      `missing ConstraintTemplate: Constraint kind "${kind}" is not recognized, known kinds [${known}]`,
    );
  }
  const [, version] = groupVersionOf(object);
  if (version !== "v1beta1" && version !== "v1alpha1")
    throw new PackageError(
      `invalid Constraint: unsupported version "${version}" for Constraint "${nameOf(object)}"; supported versions: map[v1alpha1:true v1beta1:true]`,
    );
  checkConstraint(object, template.schema);
  const match = at(object, "spec", "match");
  return {
    name: nameOf(object),
    kind,
    action: textOf(at(object, "spec", "enforcementAction")) || "deny",
    match: isRecord(match) ? match : {},
    parameters: at(object, "spec", "parameters") ?? {},
  };
}
