import { compileGlob } from "@capstan/formats";
import type { Application, AppProject, Failure } from "@capstan/model";

/** argocd-cm application.sync.impersonation.enabled and .enforced. */
export interface Impersonation {
  readonly enabled: boolean;
  readonly enforced: boolean;
}

/** Whose rights count where an application's objects are changed, or read for a person. */
export type ActingAs =
  | { readonly kind: "capstan" }
  /** `user`: `system:serviceaccount:<namespace>:<name>`. */
  | { readonly kind: "account"; readonly user: string }
  /** A service account is to act, and none is named, or what names it cannot be read. */
  | { readonly kind: "refused"; readonly failure: Failure };

interface Input {
  app: Pick<Application, "metadata" | "spec">;
  project: AppProject;
  /** Address of the destination's cluster. */
  server: string;
  controlNamespace: string;
  impersonation: Impersonation;
}

/**
 * RFC 1123; capitals in names, which no account has, are the API server's to refuse. A colon, above all, would make
 * another user of it.
 */
const namespaceName = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const accountName = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/i;

/**
 * The first of the project's destinationServiceAccounts whose globs match the cluster's address and the destination's
 * namespace as it is written, empty included (util/settings DeriveServiceAccountToImpersonate). An account without a
 * namespace is one of the destination's, else of the application's.
 */
export function actingAccount({ app, project, server, controlNamespace, impersonation }: Input): ActingAs {
  if (!impersonation.enabled) return { kind: "capstan" };
  const { namespace = "" } = app.spec.destination;
  for (const [index, entry] of (project.spec.destinationServiceAccounts ?? []).entries()) {
    const field = `spec.destinationServiceAccounts[${index}]`;
    const refuse = (problem: string): ActingAs => refused(project, `${field}: ${problem}`);
    const onServer = compileGlob(entry.server);
    if (!onServer) return refuse(`invalid glob pattern for destination server: '${entry.server}'`);
    const inNamespace = compileGlob(entry.namespace ?? "");
    if (!inNamespace) return refuse(`invalid glob pattern for destination namespace: '${entry.namespace}'`);
    if (!onServer(server) || !inNamespace(namespace)) continue;
    const fallback = namespace === "" ? (app.metadata.namespace ?? controlNamespace) : namespace;
    const [name = "", place = fallback, ...more] = entry.defaultServiceAccount.split(":").reverse();
    if (more.length > 0 || !accountName.test(name) || !namespaceName.test(place))
      return refuse(
        `default service account contains invalid chars '${entry.defaultServiceAccount}': write <name>, or <namespace>:<name>`,
      );
    return { kind: "account", user: `system:serviceaccount:${place}:${name}` };
  }
  if (!impersonation.enforced) return { kind: "capstan" };
  return refused(
    project,
    `no matching service account found for destination server ${server} and namespace ${namespace}: name one in spec.destinationServiceAccounts`,
  );
}

function refused(project: AppProject, problem: string): ActingAs {
  return { kind: "refused", failure: { code: "NO_ACCOUNT", project: project.metadata.name, problem } };
}
