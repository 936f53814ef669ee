import {
  type Application,
  type ApplicationSet,
  type AppProject,
  annotationKeys,
  annotationList,
  formatKey,
  keyOf,
  type Manifest,
  removalBudgetProblem,
  validateApplication,
  validateAppProject,
  warningsOf,
} from "@capstan/model";
import {
  describeSetting,
  type FoundSetting,
  findFields,
  findMarks,
  findOptions,
} from "@capstan/model/settings";

const { pruneBudget } = annotationKeys;
const optionFields = /^spec\.syncPolicy\.syncOptions\[/;

/** What an Application sets and Capstan does not do. */
export function applicationSettings(app: Application): FoundSetting[] {
  const holder = "Application";
  const { spec, metadata } = app;
  const sources = [...(spec.sources ?? []), ...(spec.source ? [spec.source] : [])];
  const found = [
    ...sources.flatMap((source) => findFields(holder, { ...spec, source })),
    ...(sources.length === 0 ? findFields(holder, spec) : []),
    ...findMarks({ holder, part: "annotation" }, metadata.annotations),
    ...unreadableBudget(app, pruneBudget),
    ...findOptions({ holder, part: "sync option" }, spec.syncPolicy?.syncOptions ?? []),
    ...findOptions(
      { holder, part: "compare option" },
      listed(metadata.annotations, annotationKeys.compareOptions),
    ),
  ];
  // Unknown options are told by their own table.
  const warnings = warningsOf(validateApplication(app)).filter(
    ({ field }) => field.startsWith("spec") && !optionFields.test(field),
  );
  return told(found, warnings);
}

/** The same as texts with what to do. */
export function applicationNotices(app: Application): string[] {
  return texts(applicationSettings(app));
}

export function projectNotices(project: AppProject): string[] {
  return texts(projectSettings(project));
}

/** What an ApplicationSet sets and nothing acts on. */
export function applicationSetSettings(set: ApplicationSet): FoundSetting[] {
  return [...findFields("ApplicationSet", set.spec), ...unreadableBudget(set, annotationKeys.deletionBudget)];
}

export function applicationSetNotices(set: ApplicationSet): string[] {
  return texts(applicationSetSettings(set));
}

function texts(found: readonly FoundSetting[]): string[] {
  return [...new Set(found.map(describeSetting))];
}

export function projectSettings(project: AppProject): FoundSetting[] {
  const holder = "AppProject";
  const { spec, metadata } = project;
  const found = [
    ...findFields(holder, spec),
    ...findMarks({ holder, part: "annotation" }, metadata.annotations),
    ...unreadableBudget(project, pruneBudget),
  ];
  const warnings = warningsOf(validateAppProject(project)).filter(({ field }) => field.startsWith("spec"));
  return told(found, warnings);
}

function unreadableBudget(...of: Parameters<typeof removalBudgetProblem>): FoundSetting[] {
  const note = removalBudgetProblem(...of);
  return note === undefined ? [] : [{ part: "annotation", key: of[1], note }];
}

function told(
  found: readonly FoundSetting[],
  warnings: readonly { field: string; message: string }[],
): FoundSetting[] {
  const unknown = warnings.map(
    ({ field, message }): FoundSetting => ({
      part: "field",
      key: field,
      note: `it ${message}`,
    }),
  );
  return [...found, ...unknown];
}

function listed(annotations: Readonly<Record<string, string>> | undefined, key: string): string[] {
  return (annotations?.[key] ?? "").split(",").map((part) => part.trim());
}

const objectNoticesOf = new WeakMap<Manifest, readonly string[]>();

/** The same of the objects that an Application deploys. */
export function objectNotices(manifests: readonly Manifest[]): string[] {
  return manifests.flatMap((manifest) => {
    const known = objectNoticesOf.get(manifest);
    if (known) return known;
    const notices = noticesOf(manifest);
    objectNoticesOf.set(manifest, notices);
    return notices;
  });
}

function noticesOf(manifest: Manifest): readonly string[] {
  const { annotations } = manifest.metadata;
  if (annotations === undefined || manifest.kind === "Application") return [];
  const holder = "managed object";
  const found = [
    ...findMarks({ holder, part: "annotation" }, annotations),
    ...findOptions({ holder, part: "sync option" }, annotationList(manifest, annotationKeys.syncOptions)),
    ...findOptions(
      { holder, part: "compare option" },
      annotationList(manifest, annotationKeys.compareOptions),
    ),
  ];
  return found.map((setting) => `${formatKey(keyOf(manifest))}: ${describeSetting(setting)}`);
}
