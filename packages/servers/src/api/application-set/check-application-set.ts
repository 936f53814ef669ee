import { isRecord } from "@capstan/formats";
import {
  type ApplicationSet,
  argoApiVersion,
  CapstanError,
  saidMetadata,
  validateApplicationSet,
} from "@capstan/model";
import type { Identity } from "../../call.ts";
import { findProject } from "../access/find-project.ts";
import { requireRight } from "../access/rights.ts";
import {
  type ApplicationSetNeeds,
  objectOfSet,
  requireServed,
  applicationSetResource as resource,
} from "./find-application-set.ts";

/** What a request says of a set, in the order of server/applicationset: project, namespace, right, project that is there. */
export function readWanted(
  context: ApplicationSetNeeds,
  given: ApplicationSet | undefined,
  user: Identity,
): ApplicationSet {
  const { controlNamespace, rights } = context;
  if (!given)
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "applicationset", problem: "is missing" });
  const { name = "", namespace } = given.metadata ?? {};
  const wanted: ApplicationSet = {
    apiVersion: argoApiVersion,
    kind: "ApplicationSet",
    metadata: {
      name,
      namespace: namespace || controlNamespace,
      ...saidMetadata(given.metadata ?? {}),
    },
    spec: given.spec,
  };
  const project = wanted.spec?.template?.spec?.project ?? "";
  if (project.includes("{{"))
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "spec.template.spec.project",
      problem:
        "is a template, which the API does not take since it could not ask for rights: apply it with kubectl",
    });
  requireOneProject(wanted);
  const what = `ApplicationSet ${name}`;
  const problems = validateApplicationSet(wanted).filter(({ severity }) => severity === "error");
  if (problems.length > 0) throw new CapstanError({ code: "INVALID_SPEC", what, problems });
  requireServed(context, wanted.metadata.namespace ?? controlNamespace);
  requireRight(rights, user, { resource, action: "create", object: objectOfSet(wanted, controlNamespace) });
  if (!findProject(context, project)) {
    const problem = `references project ${project} which does not exist`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "spec.template.spec.project", problem });
  }
  return wanted;
}

/** A generator's own template wins over the set's: by it nobody comes to a project that was not asked about. */
function requireOneProject({ spec }: ApplicationSet): void {
  for (const [index, generator] of (spec?.generators ?? []).entries())
    for (const [kind, part] of Object.entries<unknown>(generator)) {
      const template = isRecord(part) ? part.template : undefined;
      const project = isRecord(template) && isRecord(template.spec) ? template.spec.project : undefined;
      if (project === undefined || project === "" || project === spec.template.spec.project) continue;
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: `spec.generators[${index}].${kind}.template.spec.project`,
        problem:
          "is another project than that of the set, by which rights are asked: leave it out, or apply the set with kubectl",
      });
    }
}
