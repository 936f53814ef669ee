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
