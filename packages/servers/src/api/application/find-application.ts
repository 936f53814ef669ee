import { type Application, argoApiVersion, CapstanError } from "@capstan/model";
import type { Identity } from "../../call.ts";
import { applicationObject, rightMissing } from "../access/rights.ts";
import { isServed } from "../access/served-applications.ts";
import type { ApiContext } from "../context.ts";
import { applicationKey, isApplication } from "./read-application.ts";

export interface ApplicationName {
  readonly name: string;
  readonly appNamespace?: string | undefined;
  readonly project?: string | readonly string[] | undefined;
}

export interface FindNeeds {
  request: ApplicationName;
  user: Identity;
  action: string;
  /** Instead of the action: what gives the right as well, and is of less. */
  orAction?: string | undefined;
  signal: AbortSignal;
}

type Needs = Pick<ApiContext, "live" | "kube" | "rights" | "settings" | "controlNamespace">;

/**
 * The application, if the caller may do `action` with it. Whoever may not see it does not learn whether it
 * exists: absent and forbidden give the same answer (Argo CD server/application.go getAppEnforceRBAC), unless
 * the caller may see applications of every project.
 */
export async function findApplication(context: Needs, needs: FindNeeds): Promise<Application> {
  const { rights, controlNamespace } = context;
  const { user, action, orAction } = needs;
  const may = (object: string) =>
    [action, ...(orAction === undefined ? [] : [orAction])].some((one) =>
      rights.allows(user, { resource: "applications", action: one, object }),
    );
  const { name, appNamespace } = needs.request;
  const project = readProject(needs.request.project);
  const namespace = appNamespace || controlNamespace;
  const place = namespace === controlNamespace ? name : `${namespace}/${name}`;
  if (project !== undefined && !may(`${project}/${place}`))
    throw rightMissing(user, { resource: "applications", action, object: `${project}/${place}` });
  const stored = await readApplication(context, { namespace, name, signal: needs.signal });
  const app = stored && isServed(context, stored) ? stored : undefined;
  const object = app && applicationObject(app, controlNamespace);
  const isRight = project === undefined || (app?.spec.project || "default") === project;
  if (app && object && isRight && may(object)) return app;
  const seesAll = rights.allows(user, { resource: "applications", action: "get", object: `*/${place}` });
  if (app === undefined && (seesAll || project !== undefined)) throw notFound(place);
  if (project !== undefined && !isRight) throw notFound(place);
  throw new CapstanError({ code: "FORBIDDEN", action, what: `application ${place}`, user: user.name });
}

function readProject(project: ApplicationName["project"]): string | undefined {
  const [first] = [project ?? []].flat();
  return first || undefined;
}

function notFound(place: string): CapstanError {
  return new CapstanError({ code: "NOT_FOUND", what: `application "${place}"` });
}

/** From the watch cache; one that it has not seen yet from the cluster. */
export async function readApplication(
  { live, kube }: Pick<ApiContext, "live" | "kube">,
  { namespace, name, signal }: { namespace: string; name: string; signal: AbortSignal },
): Promise<Application | undefined> {
  const known = live.get(applicationKey(namespace, name));
  if (isApplication(known)) return known;
  const fetched = await kube.get(
    { apiVersion: argoApiVersion, kind: "Application", namespace, name },
    signal,
  );
  return isApplication(fetched) ? fetched : undefined;
}
