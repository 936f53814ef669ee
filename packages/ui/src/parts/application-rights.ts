import type { Application } from "@capstan/model";
import type { Right } from "../queries/rights.ts";
import type { ResourceId } from "../resource-id.ts";

interface OfProject {
  readonly project: string;
  readonly namespace: string;
  readonly name: string;
}

/** To do something with an application: `sync`, `delete`, `action/apps/Deployment/restart`. */
export function rightOn({ metadata, spec }: Application, action: string): Right {
  const { name, namespace = "" } = metadata;
  return rightOnNamed({ project: spec.project, namespace, name }, action);
}

export function rightOnNamed({ project, namespace, name }: OfProject, action: string): Right {
  return { resource: "applications", action, object: `${project || "default"}/${namespace}/${name}` };
}

/** Another right of which the application is the object: `logs get`, `exec create`. */
export function otherRightOn(app: Application, resource: string, action: string): Right {
  return { ...rightOn(app, action), resource };
}

/** To change or delete one of its objects. */
export function rightOnObject(app: Application, verb: "update" | "delete", resource: ResourceId): Right {
  const { group = "", kind, namespace = "", name } = resource;
  return rightOn(app, [verb, group, kind, namespace, name].join("/"));
}

/** To make an application in that project. */
export function rightToCreate(project: string): Right {
  return { resource: "applications", action: "create", object: `${project}/*` };
}
