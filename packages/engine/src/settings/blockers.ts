import {
  type Application,
  type AppProject,
  annotationKeys,
  isSkipped,
  type SyncWindow,
} from "@capstan/model";
import { matchingWindows, unreadableWindow, windowSubject } from "../access/sync-windows.ts";

/** The installation's settings that decide whether an application may be touched at all. */
export interface SafetySettings {
  /** Settings that cannot be read; harmless while the value of before is kept. */
  unreadable: readonly { where: string; field: string; problem: string; isKept: boolean }[];
}

export interface BlockerInput {
  app: Application;
  project: AppProject;
  settings: SafetySettings;
  /** Annotations of the destination's Secret. */
  clusterMarks?: Readonly<Record<string, string>>;
}

/** What keeps an application from being synced: it is set to protect something, and Capstan does not do it yet. */
export interface Blocker {
  /** With what to do. */
  message: string;
  /** Whether its objects may not be deleted with it either. */
  holdsDeletion: boolean;
  /** Whether nobody may change single objects through it: that, too, would be with other rights than are set. */
  holdsChanges: boolean;
}

export function blockersOf(input: BlockerInput): Blocker[] {
  const held = restingCluster(input);
  const others = [...hydrator(input), ...windows(input)];
  return [
    ...blockers(unreadableSettings(input), { holdsDeletion: true, holdsChanges: true }),
    ...blockers(held, { holdsDeletion: true, holdsChanges: false }),
    ...blockers(others, { holdsDeletion: false, holdsChanges: false }),
  ];
}

function blockers(texts: readonly string[], of: Omit<Blocker, "message">): Blocker[] {
  const until = of.holdsDeletion ? "Until then nothing is synced or deleted" : "Until then nothing is synced";
  return texts.map((text) => ({ message: `${text}. ${until}`, ...of }));
}

function unreadableSettings({ settings }: BlockerInput): string[] {
  const unknown = settings.unreadable.filter(({ isKept }) => !isKept);
  return unknown.map(
    ({ where, field, problem }) =>
      `${where}: ${field} ${problem}, and what it said before is not known: mend it`,
  );
}

function restingCluster({ clusterMarks }: BlockerInput): string[] {
  if (!isSkipped(clusterMarks)) return [];
  return [
    `the Secret of its cluster has the annotation ${annotationKeys.skipReconcile}: remove it to work on the cluster`,
  ];
}

function hydrator({ app }: BlockerInput): string[] {
  if (app.spec.sourceHydrator === undefined) return [];
  return [
    "spec.sourceHydrator is not honoured, nothing renders its dry source into the branch that it names: set spec.source in its place",
  ];
}

/** A window that cannot be read counts as denying; without this, only the log would say why nothing syncs. */
function windows({ app, project }: BlockerInput): string[] {
  return matchingWindows(project, windowSubject(app)).flatMap((window: SyncWindow) => {
    const problem = unreadableWindow(window);
    if (problem === undefined) return [];
    return [
      `project ${project.metadata.name}: a sync window cannot be read and counts as denying: ${problem}: mend it`,
    ];
  });
}
