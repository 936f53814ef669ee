import {
  type Application,
  type ApplicationSet,
  type ApplicationSource,
  allGenerators,
  annotationKeys,
  gitGeneratorsOf,
  isSkipped,
} from "@capstan/model";
import { ChangedFiles } from "./changed-files.ts";
import { shortRef } from "./payload.ts";
import type { PushEvent } from "./push-event.ts";
import { repositoryIdentity } from "./repository-identity.ts";

/** Applications that follow what was pushed; first those that read a changed file for sure. */
export interface AffectedApplications {
  readonly first: readonly Application[];
  /** Follow the revision, but no changed file lies in their folders: they only have to learn its name. */
  readonly rest: readonly Application[];
}

/** Those that are left alone are asked nothing: what they would be asked, they are when that ends. */
export function matchApplications(
  event: PushEvent,
  applications: Iterable<Application>,
): AffectedApplications {
  const isPushed = pushedIn(event);
  const changed = event.changedFiles && new ChangedFiles(event.changedFiles);
  const first: Application[] = [];
  const rest: Application[] = [];
  for (const app of applications) {
    if (isSkipped(app.metadata.annotations)) continue;
    const sources = followedSources(app).filter(isPushed);
    if (sources.length === 0) continue;
    const reach = reachOf(app, sources, changed);
    if (reach === "reads") first.push(app);
    else if (reach === "learns") rest.push(app);
  }
  return { first, rest };
}

/**
 * Sets with a git generator of what was pushed, also one within others, and all with a plugin generator, which may look
 * at anything (applicationset/webhook shouldRefreshPluginGenerator). Whose address is a template, any push concerns.
 */
export function matchSets(event: PushEvent, sets: Iterable<ApplicationSet>): ApplicationSet[] {
  const isOfIt = isPushedTo(event);
  const isPushed = ({ repoURL, revision }: ReturnType<typeof gitGeneratorsOf>[number]): boolean => {
    if (repoURL.includes("{{") || (revision ?? "").includes("{{")) return true;
    return isOfIt(repoURL) && followsRef(revision, event);
  };
  return [...sets].filter(
    (set) =>
      gitGeneratorsOf(set).some(isPushed) || allGenerators(set).some(({ plugin }) => plugin !== undefined),
  );
}

/** The first that follows what was pushed to a git repository, and the source by which it does. */
export function firstFollower(
  event: PushEvent,
  applications: Iterable<Application>,
): { app: Application; source: ApplicationSource } | undefined {
  const isPushed = pushedIn(event);
  for (const app of applications) {
    if (isSkipped(app.metadata.annotations)) continue;
    const source = followedSources(app).find((one) => !one.chart && isPushed(one));
    if (source) return { app, source };
  }
  return undefined;
}

type FollowedSource = Pick<ApplicationSource, "repoURL" | "targetRevision" | "path" | "chart">;

/** Whether an address is one of what was pushed; each is read once, however many applications have it. */
export function isPushedTo(event: PushEvent): (url: string) => boolean {
  const identities = new Set(event.urls.map(repositoryIdentity));
  return askedOnce((url: string) => identities.has(repositoryIdentity(url)));
}

function pushedIn(event: PushEvent): (source: FollowedSource) => boolean {
  const isPushed = isPushedTo(event);
  const isFollowing = askedOnce((revision: string | undefined) => followsRef(revision, event));
  return ({ repoURL, targetRevision }) => isPushed(repoURL) && isFollowing(targetRevision);
}

/** Thousands of applications have the same few addresses and revisions. */
function askedOnce<Question>(judge: (question: Question) => boolean): (question: Question) => boolean {
  const known = new Map<Question, boolean>();
  return (question) => {
    const seen = known.get(question);
    if (seen !== undefined) return seen;
    const found = judge(question);
    known.set(question, found);
    return found;
  };
}

function followedSources({ spec }: Application): readonly FollowedSource[] {
  if (spec.sourceHydrator) return [spec.sourceHydrator.drySource];
  if (spec.sources && spec.sources.length > 0) return spec.sources;
  return spec.source ? [spec.source] : [];
}

/** What a version constraint may contain and a branch or tag name hardly ever does. */
const constraint = /[*<>=~^|]|(^|\.)x($|\.)/;

/** Argo CD's util/webhook sourceRevisionHasChanged; a constraint is taken to match any tag, which costs a look. */
function followsRef(targetRevision: string | undefined, { ref, touchedHead }: PushEvent): boolean {
  if (!targetRevision || targetRevision === "HEAD") return touchedHead;
  if (targetRevision === ref || shortRef(targetRevision) === shortRef(ref)) return true;
  return !ref.startsWith("refs/heads/") && constraint.test(targetRevision);
}

type Reach = "reads" | "learns" | "nothing";

/** Longer declarations are not read: the application is taken to read what changed. */
const maxDeclaration = 16_384;

function reachOf(
  app: Application,
  sources: readonly FollowedSource[],
  changed: ChangedFiles | undefined,
): Reach {
  if (changed === undefined) return "reads";
  const declared = app.metadata.annotations?.[annotationKeys.manifestGeneratePaths];
  if (declared !== undefined && declared.length > maxDeclaration) return "reads";
  const folders = declared
    ? sources.flatMap((source) => declaredPaths(declared, source.path ?? ""))
    : sources.map((source) => resolvePath("", source.path ?? ""));
  if (folders.some((folder) => changed.liesIn(folder))) return "reads";
  // Without a declaration the sources may read files outside their folders (a kustomize base, Helm values).
  return declared ? "nothing" : "learns";
}

/** Paths of the annotation: absolute ones from the repository's root, others from the application's folder. */
function declaredPaths(annotation: string, folder: string): string[] {
  return annotation
    .split(";")
    .map((path) => path.trim())
    .filter((path) => path !== "")
    .map((path) => (path.startsWith("/") ? resolvePath("", path) : resolvePath(folder, path)));
}

/** Has an empty name, `.` or `..` in it. */
const unresolved = /(^|\/)\.{0,2}(\/|$)/;

function resolvePath(folder: string, path: string): string {
  if (folder === "" && !unresolved.test(path)) return path;
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}
