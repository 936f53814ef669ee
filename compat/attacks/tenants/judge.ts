import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
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

export interface AuditVerdict {
  readonly trespasses: readonly Trespass[];
  /** Requests that were looked at, by on whose behalf they were made. */
  readonly judged: { tenant: number; own: number };
  /** Applications for which more was written than they have objects for, by far. */
  readonly floods: readonly string[];
}

/** An application has two objects, hooks of several phases, and few tries. */
const mostWrites = 200;

/** Every line of the audit log since the tenants began, judged. */
export async function judgeAudit(file: string, since: number): Promise<AuditVerdict> {
  const judged = { tenant: 0, own: 0 };
  const trespasses: Trespass[] = [];
  const written = new Map<string, number>();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (line === "") continue;
    const event: AuditEvent = JSON.parse(line);
    if (Date.parse(event.requestReceivedTimestamp) < since) continue;
    const forWhom = event.annotations?.["capstan.dev/for"];
    if (forWhom !== undefined && writes.has(event.verb))
      written.set(forWhom, (written.get(forWhom) ?? 0) + 1);
    const why = judge(event, judged);
    if (why !== undefined) trespasses.push({ event, why });
  }
  const floods = [...written]
    .filter(([, times]) => times > mostWrites)
    .map(([forWhom, times]) => `${times} writes for ${forWhom}`);
  return { trespasses, judged, floods };
}

function judge(event: AuditEvent, judged: AuditVerdict["judged"]): string | undefined {
  const { user, userAgent = "", objectRef, verb, annotations } = event;
  if (user.username !== capstanUser || userAgent.startsWith("capstan-testkit") || !objectRef)
    return undefined;
  const { namespace, resource } = objectRef;
  const forWhom = annotations?.["capstan.dev/for"];
  if (forWhom !== undefined) {
    judged.tenant += 1;
    return forWhom.startsWith("rival/") ? inside("rival", event) : inside("team", event);
  }
  if (!writes.has(verb)) return undefined;
  judged.own += 1;
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
