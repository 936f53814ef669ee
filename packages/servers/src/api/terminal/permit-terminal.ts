import { isDnsLabel, isDnsSubdomain, isRecord } from "@capstan/formats";
import { type Application, isCapstanError, type Manifest } from "@capstan/model";
import type { Identity } from "../../call.ts";
import type { TerminalPort, TerminalRefusal } from "../../transport/terminal-route.ts";
import { applicationObject, requireRight } from "../access/rights.ts";
import { isServedNamespace } from "../access/served-applications.ts";
import { findApplication } from "../application/find-application.ts";
import { findResource, type ResourceNeeds } from "../application/find-resource.ts";
import { applicationKey, isApplication } from "../application/read-application.ts";
import type { ApiContext } from "../context.ts";

type Needs = ResourceNeeds & Pick<ApiContext, "live" | "settings">;

interface Asked {
  readonly pod: string;
  readonly container: string;
  readonly namespace: string;
  readonly application: { readonly name: string; readonly appNamespace: string; readonly project: string };
}

/**
 * Shells in Pods of applications, for whoever may see the application and has the right `exec, create` on it; the words
 * of refusals are Argo CD's (server/application/terminal.go).
 */
export function terminalPort(context: Needs): TerminalPort {
  const { settings } = context;
  const isEnabled = () => settings.current.general.terminal.enabled;
  return {
    isEnabled,
    async permit(query, { user, signal }) {
      const asked = readAsked(query, context);
      if ("refused" in asked) return asked;
      const found = await findPod(context, { asked, user, signal });
      if ("refused" in found) return found;
      const { app, pod, cluster } = found;
      const { shells } = settings.current.general.terminal;
      const shell = query.get("shell") ?? "";
      const { container } = asked;
      return {
        facts: { application: applicationObject(app, context.controlNamespace), pod: asked.pod, container },
        shells: shells.includes(shell) ? [shell] : shells,
        mayGoOn: (now) => isEnabled() && mayStill(context, asked, now),
        start: (command, ended) => cluster.client.exec(pod, { container, command: [command] }, ended),
      };
    },
  };
}

function refused(status: number, text: string): TerminalRefusal {
  return { refused: { status, text } };
}

function readAsked(
  query: URLSearchParams,
  context: Pick<Needs, "settings" | "controlNamespace">,
): Asked | TerminalRefusal {
  const of = (name: string) => query.get(name) ?? "";
  const [pod, container, namespace] = [of("pod"), of("container"), of("namespace")];
  const [name, project] = [of("appName"), of("projectName")];
  if ([pod, container, name, project, namespace].includes(""))
    return refused(400, "Missing required parameters");
  if (!isDnsSubdomain(pod)) return refused(400, "Pod name is not valid");
  if (!isDnsLabel(container)) return refused(400, "Container name is not valid");
  if (!isDnsSubdomain(name)) return refused(400, "App name is not valid");
  if (!isDnsSubdomain(project)) return refused(400, "Project name is not valid");
  if (!isDnsLabel(namespace)) return refused(400, "Namespace name is not valid");
  const appNamespace = of("appNamespace") || context.controlNamespace;
  if (!isDnsLabel(appNamespace)) return refused(400, "App namespace name is not valid");
  if (!isServedNamespace(context, appNamespace))
    return refused(403, `namespace '${appNamespace}' is not permitted`);
  return { pod, container, namespace, application: { name, appNamespace, project } };
}

interface Find {
  readonly asked: Asked;
  readonly user: Identity;
  readonly signal: AbortSignal;
}

async function findPod(context: Needs, { asked, user, signal }: Find) {
  const { application: request, pod: resourceName, namespace, container } = asked;
  let app: Application;
  try {
    app = await findApplication(context, { request, user, action: "get", signal });
    const object = applicationObject(app, context.controlNamespace);
    requireRight(context.rights, user, { resource: "exec", action: "create", object });
  } catch (error) {
    if (isCapstanError(error, "NOT_FOUND")) return refused(404, "App not found");
    if (isCapstanError(error)) return refused(401, error.message);
    throw error;
  }
  try {
    const resource = { ...request, group: "", kind: "Pod", namespace, resourceName };
    const found = await findResource(context, { request: resource, user, action: "get", signal });
    return problemOf(found.object, container) ?? { app, pod: found.object, cluster: found.cluster };
  } catch (error) {
    if (isCapstanError(error, "NOT_FOUND")) return refused(400, "Pod doesn't belong to specified app");
    if (isCapstanError(error)) return refused(400, error.message);
    throw error;
  }
}

function problemOf({ spec, status }: Manifest, container: string): TerminalRefusal | undefined {
  if (!isRecord(status) || status.phase !== "Running") return refused(400, "Pod not running");
  const containers = isRecord(spec) && Array.isArray(spec.containers) ? spec.containers.filter(isRecord) : [];
  return containers.some(({ name }) => name === container)
    ? undefined
    : refused(400, "Cannot find container");
}

/** By the rights of this moment, on the application as it is now. */
function mayStill(
  { live, rights, controlNamespace }: Needs,
  { application }: Asked,
  user: Identity,
): boolean {
  const { name, appNamespace, project } = application;
  const app = live.get(applicationKey(appNamespace, name));
  if (!isApplication(app) || (app.spec.project || "default") !== project) return false;
  const object = applicationObject(app, controlNamespace);
  const wanted = [
    { resource: "applications", action: "get", object },
    { resource: "exec", action: "create", object },
  ];
  return wanted.every((right) => rights.allows(user, right));
}
