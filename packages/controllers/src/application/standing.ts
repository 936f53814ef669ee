import { hash } from "node:crypto";
import { canonicalJson, formatTime } from "@capstan/formats";
import type { Settings, TenantCluster } from "@capstan/kube";
import {
  type Application,
  type AppProject,
  annotationKeys,
  instanceName,
  isSkipped,
  type Manifest,
  revisionFields,
  type SyncStatus,
} from "@capstan/model";
import { type Desired, type KnownDesired, openTenant, stillDesired } from "@capstan/planning";
import { type ApplicationMemory, isRunning } from "./application-memory.ts";
import type { ApplicationNeeds } from "./application-needs.ts";
import type { ApplicationRun, LoadedRun } from "./application-run.ts";
import type { DueCompare } from "./comparison-schedule.ts";
import { findProject } from "./find-project.ts";
import type { Standing } from "./standings.ts";
import { rememberPoll, renderInput } from "./steps/render-sources.ts";
import { marksOf } from "./steps/say-not-honoured.ts";

/**
 * Whether all is as it was found before, by a process that has ended: then the look is over, and the status stands. A
 * refresh is answered by a comparison, and so is whatever the memory of this process knows better.
 */
export async function stillStands(
  loaded: LoadedRun,
  compare: DueCompare,
  signal: AbortSignal,
): Promise<boolean> {
  const { run, project, cluster, tenant } = loaded;
  const { needs, memory, key, app } = run;
  const before = memory.desired ? undefined : needs.standings?.get(key);
  if (!before || compare.level === 3 || compare.hard || compare.revisions || !isAtRest(app)) return false;
  try {
    await cluster.live.ready(signal);
    if (before.facts !== factsOf(needs, { app, project, tenant })) return false;
    const input = { ...renderInput(loaded, compare), known: before.keys };
    const found = await stillDesired(needs, input, signal);
    if (!found) return false;
    // What came while the repository was asked asks for a look of its own.
    memory.stands = found;
    rememberPoll(run, compare.poll, found);
    sayRevisions(run, found, compare);
  } catch {
    signal.throwIfAborted();
    return false; // the comparison says what is wrong
  }
  memory.comparedSpec = run.draft.spec;
  memory.saidOf = marksOf(app);
  run.isAsCompared = true;
  return true;
}

/** Another commit with the same manifests. */
function sayRevisions(run: ApplicationRun, { revisions }: KnownDesired, { level }: DueCompare): void {
  const { status, spec } = run.draft;
  if (!status.sync || isSaid(status.sync, revisionFields(spec, revisions))) return;
  status.sync = { ...status.sync, ...revisionFields(spec, revisions) };
  if (level === 2) run.reconciledAt = formatTime(run.startedAt);
}

type Said = Pick<SyncStatus, "revision" | "revisions">;

function isSaid(sync: Said, { revision, revisions }: Said): boolean {
  return sync.revision === revision && sync.revisions?.join() === revisions?.join();
}

/** What is to be kept of an application after its last look; undefined where the next process must compare. */
export function standingOf(
  needs: ApplicationNeeds,
  { app, memory }: { app: Application; memory: ApplicationMemory },
): Standing | undefined {
  const { desired, stands, cluster } = memory;
  const project = findProject(needs, app.spec.project || "default");
  if (!cluster || !project || !isAtRest(app) || !mayStand(project)) return undefined;
  const tenant = openTenant(needs, { app, project, cluster });
  const facts = () => factsOf(needs, { app, project, tenant });
  if (!desired) return stands && { facts: facts(), keys: stands.keys };
  if (!isWhole(needs, { app, memory, tenant })) return undefined;
  const keys = desired.keys.filter((key) => key !== undefined);
  if (keys.length !== desired.sources.length || !isOf(app, desired)) return undefined;
  return { facts: facts(), keys };
}

/** Nothing is under way or asked for, and there is nothing to be said of it. */
function isAtRest({ metadata, operation, status }: Application): boolean {
  return (
    status?.sync?.status === "Synced" &&
    (status.conditions ?? []).length === 0 &&
    operation === undefined &&
    !isRunning(status.operationState) &&
    metadata.deletionTimestamp === undefined &&
    metadata.annotations?.[annotationKeys.refresh] === undefined &&
    !isSkipped(metadata.annotations)
  );
}

/** Where more is looked at than an application's own objects and what git says, that is looked at again. */
function mayStand({ spec }: AppProject): boolean {
  return (
    spec.orphanedResources === undefined &&
    (spec.signatureKeys ?? []).length === 0 &&
    spec.sourceIntegrity === undefined
  );
}

/** Of git, lasting, and what the status says. */
function isOf({ spec, status }: Application, desired: Desired): boolean {
  return (
    desired.broughtAt === undefined &&
    desired.validForMs === undefined &&
    desired.unverified.length === 0 &&
    desired.notes.length === 0 &&
    isSaid(status?.sync ?? {}, revisionFields(spec, desired.revisions))
  );
}

/** The comparison was complete, and all that it is about is among what `factsOf` looks at. */
function isWhole(
  needs: Pick<ApplicationNeeds, "controlNamespace">,
  { app, memory, tenant }: { app: Application; memory: ApplicationMemory; tenant: TenantCluster },
): boolean {
  const { comparison, comparedManifests, desired } = memory;
  if (!comparison || comparedManifests !== desired?.manifests || comparison.status !== "Synced") return false;
  const own = new Set(
    tenant.live.managedBy(instanceName(app, needs.controlNamespace)).map(({ metadata }) => metadata.uid),
  );
  return comparison.resources.every(
    ({ live, status }) => status.status === "Synced" && live !== undefined && own.has(live.metadata.uid),
  );
}

interface Facts {
  readonly app: Application;
  readonly project: AppProject;
  readonly tenant: TenantCluster;
}

/** The Application as it is written, the settings, its project, and each object of its tree at its version. */
function factsOf(
  { settings, controlNamespace }: Pick<ApplicationNeeds, "settings" | "controlNamespace">,
  { app, project, tenant }: Facts,
): string {
  const { uid, resourceVersion } = app.metadata;
  const lines = [
    `${uid} ${resourceVersion}`,
    settingsDigest(settings.current),
    projectDigest(project),
    `${tenant.server} ${tenant.name} ${controlNamespace}`,
    ...treeLines(tenant, instanceName(app, controlNamespace)),
  ];
  return hash("sha256", lines.join("\n"), "base64url");
}

function treeLines({ live }: TenantCluster, instance: string): string[] {
  const seen = new Set<string>();
  const lines: string[] = [];
  const queue: Manifest[] = [...live.managedBy(instance)];
  for (const { metadata } of queue) {
    const { uid = "", resourceVersion = "" } = metadata;
    if (seen.has(uid)) continue;
    seen.add(uid);
    lines.push(`${uid} ${resourceVersion}`);
    queue.push(...live.children(uid));
  }
  return lines.sort();
}

const settingsDigests = new WeakMap<Settings, string>();

/** Without what is secret: of what has secrets, which version of which Secret it is. */
function settingsDigest(settings: Settings): string {
  const known = settingsDigests.get(settings);
  if (known !== undefined) return known;
  const { general, params, repositories, credentialTemplates, clusters, notHonoured, unreadable } = settings;
  const { oidc: _, raw: __, extensions: ___, page: ____, links: _____, ...rest } = general;
  const secrets = [...repositories, ...credentialTemplates, ...clusters].map(({ secret }) => secret);
  const text = canonicalJson([rest, params, secrets, notHonoured, unreadable]);
  const digest = hash("sha256", text, "base64url");
  settingsDigests.set(settings, digest);
  return digest;
}

const projectDigests = new WeakMap<AppProject["spec"], string>();

function projectDigest({ metadata, spec }: AppProject): string {
  const known = projectDigests.get(spec);
  if (known !== undefined) return known;
  const digest = hash("sha256", canonicalJson([metadata.uid, metadata.annotations ?? {}, spec]), "base64url");
  projectDigests.set(spec, digest);
  return digest;
}
