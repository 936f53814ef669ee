import { checkPermissions, clusterRefusal } from "@capstan/engine";
import { isDnsLabel, isDnsSubdomain } from "@capstan/formats";
import type { ExtensionService, ExtensionSettings } from "@capstan/kube";
import { type Application, CapstanError, isCapstanError, projectOf } from "@capstan/model";
import type { Identity } from "../../call.ts";
import type { ExtensionPort, ExtensionRefusal } from "../../transport/extension-route.ts";
import { requireRules } from "../access/find-project.ts";
import { requireRight } from "../access/rights.ts";
import { findApplication } from "../application/find-application.ts";
import type { ApiContext } from "../context.ts";

type Needs = Pick<
  ApiContext,
  "live" | "kube" | "rights" | "settings" | "controlNamespace" | "clusters" | "log"
>;

const applicationHeader = "Argocd-Application-Name";
const projectHeader = "Argocd-Project-Name";

/**
 * Where a request below /extensions/<name>/ goes, and what its backend is told of who asks and for which application;
 * the words of refusals are Argo CD's (server/extension CallExtension).
 */
export function extensionPort(context: Needs): ExtensionPort {
  const { settings, log } = context;
  return {
    isEnabled: () => settings.current.params["server.enable.proxy.extension"] === "true",
    async permit({ name, application, project, user, signal }) {
      const asked = readAsked(application, project);
      if ("refused" in asked) return asked;
      let app: Application;
      try {
        app = await permittedApplication(context, { name, ...asked, user, signal });
      } catch (error) {
        if (!isCapstanError(error)) throw error;
        log.info({ extension: name, user: user.name, problem: error.message }, "extension request refused");
        return refused(401, "Unauthorized extension request");
      }
      const extension = settings.current.general.extensions?.find((one) => one.name === name);
      if (!extension) return refused(404, "Extension not found");
      const service = serviceFor(extension, app);
      if (!service) return refused(400, "invalid extension");
      const headers = { ...tellAbout(context, app, user), ...service.headers };
      const path = { extension: name, application: headers["argocd-application-name"] };
      log.info({ ...path, user: user.name }, "request passed on to an extension");
      return { origin: service.origin, connections: extension.connections, headers };
    },
  };
}

function refused(status: number, text: string): ExtensionRefusal {
  return { refused: { status, text } };
}

interface Asked {
  readonly appName: string;
  readonly appNamespace: string;
  readonly project: string;
}

/** server/extension ValidateHeaders. */
function readAsked(application: string, project: string): Asked | ExtensionRefusal {
  const bad = (problem: string) => refused(400, `Invalid headers: ${problem}`);
  if (application === "") return bad(`header "${applicationHeader}" must be provided`);
  const parts = application.split(":");
  const [appNamespace = "", appName = ""] = parts;
  if (parts.length !== 2)
    return bad(
      `error getting app details: invalid value for "${applicationHeader}" header: expected format: <namespace>:<app-name>`,
    );
  if (!isDnsLabel(appNamespace)) return bad("invalid value for namespace");
  if (!isDnsSubdomain(appName)) return bad("invalid value for application name");
  if (project === "") return bad(`header "${projectHeader}" must be provided`);
  if (!isDnsSubdomain(project)) return bad("invalid value for project name");
  return { appName, appNamespace, project };
}

/**
 * Whoever asks sees the application and may invoke the extension, and the application's project lets it have its
 * destination (server/extension authorize). Applications outside of the control namespace are named with theirs: Argo
 * CD asks for the right on one of that name in any namespace.
 */
async function permittedApplication(
  context: Needs,
  {
    name,
    appName,
    appNamespace,
    project,
    user,
    signal,
  }: Asked & { name: string; user: Identity; signal: AbortSignal },
): Promise<Application> {
  const request = { name: appName, appNamespace, project };
  const app = await findApplication(context, { request, user, action: "get", signal });
  requireRight(context.rights, user, { resource: "extensions", action: "invoke", object: name });
  const rules = requireRules(context, projectOf(app));
  const cluster = context.clusters.forDestination(app.spec.destination);
  const scope = clusterRefusal(rules, cluster);
  if (scope) throw new CapstanError(scope);
  const { server, name: clusterName } = cluster;
  const [failure] = checkPermissions({
    project: rules,
    repositories: [],
    destination: { server, name: clusterName, namespace: app.spec.destination.namespace ?? "" },
    applicationNamespace: appNamespace,
    controlNamespace: context.controlNamespace,
  });
  if (failure) throw new CapstanError(failure);
  return app;
}

/** The only one whatever the destination; of several that of the destination's cluster, named as it is there (findProxy). */
function serviceFor({ services }: ExtensionSettings, { spec }: Application): ExtensionService | undefined {
  if (services.length === 1) return services[0];
  const { name, server } = spec.destination;
  return services.find(({ cluster }) =>
    name ? cluster?.name === name : Boolean(server) && cluster?.server === server,
  );
}

/** server/extension prepareRequest. */
function tellAbout(
  { controlNamespace }: Needs,
  { metadata, spec }: Application,
  user: Identity,
): Record<string, string> {
  const { name, server } = spec.destination;
  const facts = {
    "argocd-application-name": `${metadata.namespace ?? controlNamespace}:${metadata.name}`,
    "argocd-project-name": spec.project || "default",
    "argocd-namespace": controlNamespace,
    "argocd-target-cluster-name": name,
    "argocd-target-cluster-url": server,
    "argocd-user-id": user.name,
    "argocd-username": user.username ?? user.name,
    "argocd-user-groups": user.groups.join(","),
  };
  return Object.fromEntries(
    Object.entries(facts).flatMap(([header, value]) => (value ? [[header, inHeader(value)]] : [])),
  );
}

/** Identity providers name people and groups as they like; a header is of bytes (Go sends UTF-8 as it is). */
function inHeader(text: string): string {
  return Buffer.from(text.replace(/\p{Cc}/gu, " ")).toString("latin1");
}
