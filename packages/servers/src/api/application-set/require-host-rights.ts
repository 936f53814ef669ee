import { providersOf, readHostRules } from "@capstan/engine";
import { isRecord } from "@capstan/formats";
import { type ApplicationSet, CapstanError, labelKeys, projectOf } from "@capstan/model";
import type { Identity } from "../../call.ts";
import type { ApplicationSetNeeds } from "./find-application-set.ts";

/**
 * A set asks hosts with credentials of the namespace that it stands in, which are others' too. Whoever may create sets
 * of every project names what he likes; all others name addresses that the operator lists, Secrets that are labelled
 * for hosts, and Apps of their project.
 */
export async function requireHostRights(
  context: ApplicationSetNeeds,
  set: ApplicationSet,
  { user, signal }: { user: Identity; signal: AbortSignal },
): Promise<void> {
  const providers = providersOf(set);
  if (providers.length === 0) return;
  const everywhere = { resource: "applicationsets", action: "create", object: "*/*" };
  if (context.rights.allows(user, everywhere)) return;
  const { listed } = readHostRules(context.settings.current.params);
  for (const { field, provider } of providers) {
    const { api, appSecretName } = provider;
    if (isGiven(api) && !(typeof api === "string" && listed.includes(api)))
      refuse(`${field}.api`, "is none of applicationsetcontroller.allowed.scm.providers");
    if (isGiven(appSecretName) && !isAppOf(context, set, appSecretName))
      refuse(`${field}.appSecretName`, "names no Secret with a GitHub App of the set's project");
    if (field.endsWith(".awsCodeCommit")) refuse(field, "asks with the rights of Capstan itself");
    for (const name of secretsOf(provider))
      if (!(await isForHosts(context, { set, name }, signal)))
        refuse(field, `names a Secret without the label ${labelKeys.secretType}=scm-creds`);
  }
}

function refuse(field: string, what: string): never {
  const problem = `${what}, and only who may create ApplicationSets of every project sets that`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field, problem });
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

function isAppOf({ settings }: ApplicationSetNeeds, set: ApplicationSet, name: unknown): boolean {
  const { credentialTemplates, repositories } = settings.current;
  const project = projectOf({ spec: set.spec.template.spec });
  return [...credentialTemplates, ...repositories].some(
    (one) => one.secret.secretName === name && one.project === project,
  );
}

/** Names of the Secrets that any part of a provider refers to. */
function secretsOf(part: unknown): string[] {
  if (!isRecord(part)) return [];
  const { secretName } = part;
  const own = typeof secretName === "string" ? [secretName] : [];
  return [...own, ...Object.values(part).flatMap(secretsOf)];
}

async function isForHosts(
  { kube, controlNamespace }: ApplicationSetNeeds,
  { set, name }: { set: ApplicationSet; name: string },
  signal: AbortSignal,
): Promise<boolean> {
  if (name.includes("{{")) return false;
  const namespace = set.metadata.namespace ?? controlNamespace;
  const secret = await kube.get({ apiVersion: "v1", kind: "Secret", namespace, name }, signal);
  return secret?.metadata.labels?.[labelKeys.secretType] === "scm-creds";
}
