import { readFile } from "node:fs/promises";
import type { AuditEvent } from "@capstan/cluster";

/** A request that the project does not allow. */
export interface Trespass {
  readonly event: AuditEvent;
  readonly why: string;
}

const writes: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);
/** Whose requests Capstan makes; the test's own client says another user agent. */
const capstanUser = "kubernetes-admin";

/** What Capstan writes as itself: state of its own in the control namespace. */
const ownResources: ReadonlySet<string> = new Set([
  ...["applications", "applicationsets", "appprojects", "events", "secrets", "configmaps", "leases"],
]);

/** Every line of the audit log since the tenants began, judged. */
export async function judgeAudit(file: string, since: number): Promise<readonly Trespass[]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  return lines
    .map((line): AuditEvent => JSON.parse(line))
    .filter((event) => Date.parse(event.requestReceivedTimestamp) >= since)
    .flatMap((event) => {
      const why = judge(event);
      return why === undefined ? [] : [{ event, why }];
    });
}

function judge(event: AuditEvent): string | undefined {
  const { user, userAgent = "", objectRef, verb, annotations } = event;
  if (user.username !== capstanUser || userAgent.startsWith("capstan-testkit") || !objectRef)
    return undefined;
  const { namespace, resource } = objectRef;
  const forWhom = annotations?.["capstan.dev/for"];
  if (forWhom !== undefined)
    return forWhom.startsWith("rival/") ? inside("rival", event) : inside("team", event);
  if (!writes.has(verb)) return undefined;
  if (namespace === "argocd" && ownResources.has(resource)) return undefined;
  return `Capstan wrote ${resource} in ${namespace ?? "the cluster"} and says not for whom`;
}

/** Reads of one object and every write, for a tenant. Lists are the watch caches', which serve all. */
function inside(project: string, { verb, objectRef }: AuditEvent): string | undefined {
  if (!objectRef || verb === "list" || verb === "watch") return undefined;
  const { namespace, resource, name } = objectRef;
  const place = resource === "namespaces" ? (name ?? namespace) : namespace;
  if (place?.startsWith(`${project}-`)) return undefined;
  return `${verb} ${resource} ${name ?? ""} in ${namespace ?? "the cluster"} for project ${project}`;
}
