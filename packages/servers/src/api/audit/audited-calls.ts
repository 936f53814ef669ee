import { isRecord } from "@capstan/formats";
import { withoutUserinfos } from "@capstan/model";
import type { RouteName } from "@capstan/wire";

type Request = Readonly<Record<string, unknown>>;

/** An event as Argo CD's server writes it (util/argo/audit_logger.go, server/application, server/project, …). */
export interface AuditedEvent {
  readonly kind: "Application" | "ApplicationSet" | "AppProject";
  readonly reason:
    | "ResourceCreated"
    | "ResourceUpdated"
    | "ResourceDeleted"
    | "ResourceActionRan"
    | "OperationStarted";
  /** What the user did; it follows the name. */
  readonly says: (request: Request) => string;
  /** Field of the request that names the object, where it is not `name`. */
  readonly nameField?: string;
}

const event = (
  kind: AuditedEvent["kind"],
  reason: AuditedEvent["reason"],
  says: string | AuditedEvent["says"],
): AuditedEvent => ({ kind, reason, says: typeof says === "string" ? () => says : says });

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const resourceOf = ({ group, kind, resourceName }: Request): string =>
  `${text(group)}/${text(kind)} '${text(resourceName)}'`;

function syncText({ resources, revision }: Request): string {
  const partial = Array.isArray(resources) && resources.length > 0 ? "partial " : "";
  return `initiated ${partial}sync${text(revision) ? ` to ${text(revision)}` : ""}`;
}

const actionRan = event(
  "Application",
  "ResourceActionRan",
  ({ action, group, kind, resourceName }) =>
    `ran action ${text(action)} on resource ${text(group)}/${text(kind)}/${text(resourceName)}`,
);

export const auditedEvents: { readonly [Name in RouteName]?: AuditedEvent } = {
  createApplication: event("Application", "ResourceCreated", "created application"),
  updateApplication: event("Application", "ResourceUpdated", "updated application spec"),
  updateApplicationSpec: event("Application", "ResourceUpdated", "updated application spec"),
  patchApplication: event("Application", "ResourceUpdated", "updated application spec"),
  deleteApplication: event("Application", "ResourceDeleted", "deleted application"),
  syncApplication: event("Application", "OperationStarted", syncText),
  rollbackApplication: event(
    "Application",
    "OperationStarted",
    ({ id }) => `initiated rollback to ${Number(id ?? 0)}`,
  ),
  updateImages: event("Application", "ResourceUpdated", "asked for image updates of application"),
  terminateOperation: event("Application", "ResourceUpdated", "terminated running operation"),
  patchResource: event(
    "Application",
    "ResourceUpdated",
    (request) => `patched resource ${resourceOf(request)}`,
  ),
  deleteResource: event(
    "Application",
    "ResourceDeleted",
    (request) => `deleted resource ${resourceOf(request)}`,
  ),
  runResourceAction: actionRan,
  runResourceActionByName: actionRan,
  createApplicationSet: event("ApplicationSet", "ResourceCreated", "created ApplicationSet"),
  deleteApplicationSet: event("ApplicationSet", "ResourceDeleted", "deleted ApplicationSets"),
  allowApplicationSetDeletion: event(
    "ApplicationSet",
    "ResourceUpdated",
    ({ code }) => `allowed the deletions ${text(code)} of ApplicationSet`,
  ),
  createProject: event("AppProject", "ResourceCreated", "created project"),
  updateProject: event("AppProject", "ResourceUpdated", "updated project"),
  deleteProject: event("AppProject", "ResourceDeleted", "deleted project"),
  createProjectToken: { ...event("AppProject", "ResourceCreated", "created token"), nameField: "project" },
  deleteProjectToken: { ...event("AppProject", "ResourceDeleted", "deleted token"), nameField: "project" },
};

/** They take a body, and change nothing. A login is told by itself, since it is no user's yet. */
export const unchanging: ReadonlySet<RouteName> = new Set([
  "askRights",
  "askRightsOf",
  "diffManifests",
  "generateApplicationSet",
  "diffApplicationSet",
  "previewSyncRequest",
  "getManifestsWithFiles",
  "getRepositoryAppDetails",
  "validateRepository",
  "validateWriteRepository",
  "login",
] as const satisfies readonly RouteName[]);

/** What says which object is meant. Nothing else of a request is told: it may hold secrets. */
const naming = [
  ...[
    "name",
    "appNamespace",
    "project",
    "role",
    "id",
    "url",
    "repo",
    "server",
    "keyID",
    "namespace",
    "setting",
  ],
  ...["group", "kind", "resourceName", "action", "revision", "upsert", "dryRun", "cascade", "force"],
] as const;
/** Of which the body is the object. */
const bodies = ["application", "applicationset", "project", "metadata"] as const;
const longest = 300;

export function factsOf(request: Request): Record<string, string | boolean | number> {
  const facts: Record<string, string | boolean | number> = {};
  for (const body of bodies) {
    const object = request[body];
    const metadata = isRecord(object) && isRecord(object.metadata) ? object.metadata : undefined;
    if (metadata && typeof metadata.name === "string") facts.name = metadata.name.slice(0, longest);
  }
  for (const field of naming) {
    const value = request[field];
    if (typeof value === "boolean" || typeof value === "number") facts[field] = value;
    // A user and password may stand in an address.
    else if (typeof value === "string" && value !== "")
      facts[field] = withoutUserinfos(value).slice(0, longest);
  }
  return facts;
}
