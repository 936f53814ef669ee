import { matchesPath, selectsLabels } from "@capstan/formats";
import type {
  Application,
  ImagesVerification,
  ImageUpdater,
  ImageUpdateSettings,
  ImageWriteBack,
  UpdaterApplicationRef,
  UpdaterImage,
} from "@capstan/model";
import { readRules, readUpdateRules } from "./read-update-rules.ts";
import type { UpdateRules } from "./update-rules.ts";

/** The rules for an application, and who says them. */
export interface RulesOfApplication extends UpdateRules {
  /** `NAMESPACE/NAME` of an ImageUpdater; absent: the application's own annotations. */
  readonly updater?: string | undefined;
}

interface Match {
  readonly updater: ImageUpdater;
  readonly ref: UpdaterApplicationRef;
  readonly rules: UpdateRules;
  readonly score: number;
}

/**
 * What an application's images are followed by: the ImageUpdater of its own namespace whose reference is the most
 * specific, or without one its annotations. `updaters`: those of its namespace. With several argocd-image-updater lets
 * each of them write; here one counts, and the others are said.
 */
export function rulesFor(
  app: Application,
  updaters: readonly ImageUpdater[],
): RulesOfApplication | undefined {
  const matches = updaters
    .flatMap((updater) => matchOf(app, updater) ?? [])
    .sort((left, right) => right.score - left.score || byName(left.updater, right.updater));
  const [best, ...others] = matches;
  if (!best) return readUpdateRules(app.metadata.annotations);
  const updater = updaterName(best.updater);
  const names = others.map((other) => other.updater.metadata.name).join(", ");
  const problem = `ImageUpdater ${names} is for this application too: ${best.updater.metadata.name} counts, whose reference says more or whose name comes first`;
  const problems = names === "" ? best.rules.problems : [...best.rules.problems, problem];
  return { ...best.rules, problems, updater };
}

export function updaterName({ metadata }: Pick<ImageUpdater, "metadata">): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/** Why an ImageUpdater is for no application at all (pkg/argocd FilterApplicationsForUpdate); undefined: nothing. */
export function updaterProblem({ spec }: ImageUpdater): string | undefined {
  if (spec.applicationRefs.length === 0) return "no application references defined in ImageUpdater CR";
  const bad = spec.applicationRefs.find(({ namePattern }) => !pathPattern.test(namePattern));
  return bad && `invalid application name pattern '${bad.namePattern}': syntax error in pattern`;
}

function matchOf(app: Application, updater: ImageUpdater): Match | undefined {
  if (updaterProblem(updater) !== undefined) return undefined;
  const { name, labels = {} } = app.metadata;
  const refs = updater.spec.applicationRefs
    .map((ref) => ({ ref, score: specificity(ref) }))
    .sort((left, right) => right.score - left.score);
  for (const { ref, score } of refs) {
    const isFor =
      matchesPath(ref.namePattern, name) &&
      (!ref.labelSelectors || selectsLabels(ref.labelSelectors, labels));
    if (!isFor) continue;
    const rules = rulesOf(app, updater, ref);
    if (rules) return { updater, ref, rules, score };
  }
  return undefined;
}

/** pkg/argocd calculateSpecificity. */
function specificity({ namePattern, labelSelectors }: UpdaterApplicationRef): number {
  const exact = /[*?[\]]/.test(namePattern) ? 0 : 1_000_000;
  const literals = namePattern.replace(/\[.*?\]/g, "").replace(/[*?]/g, "").length;
  if (!labelSelectors) return exact + literals;
  const { matchLabels = {}, matchExpressions = [] } = labelSelectors;
  return exact + literals + 10_000 + 100 * (Object.keys(matchLabels).length + matchExpressions.length);
}

/** With `useAnnotations`, an application without images in its annotations is left to the next reference. */
function rulesOf(
  app: Application,
  { spec }: ImageUpdater,
  ref: UpdaterApplicationRef,
): UpdateRules | undefined {
  const { annotations } = app.metadata;
  if (ref.useAnnotations) return verified(readUpdateRules(annotations), () => ref.imagesVerification);
  const texts = new Map<string, string>();
  const images = ref.images ?? [];
  for (const image of images) {
    const settings = merged(spec.commonUpdateSettings, ref.commonUpdateSettings, image.commonUpdateSettings);
    for (const [name, text] of Object.entries({ ...settingTexts(settings), ...targetTexts(image) }))
      texts.set(`${image.alias}.${name}`, text);
  }
  for (const [name, text] of Object.entries(writeBackTexts(spec.writeBackConfig, ref.writeBackConfig)))
    texts.set(name, text);
  const listed = images.map(({ alias, imageName }) => `${alias}=${imageName}`);
  const rules = readRules({ listed, list: "images", at: (name) => (texts.get(name) ?? "").trim() });
  const kinds = new Map(images.map(({ alias, imagesVerification }) => [alias, imagesVerification]));
  return verified(rules, (alias) =>
    merged(spec.imagesVerification, ref.imagesVerification, kinds.get(alias)),
  );
}

/** What is set further on counts. */
function merged<Settings extends object>(...all: (Settings | undefined)[]): Settings | undefined {
  const given = all.filter((one) => one !== undefined);
  return given.length === 0 ? undefined : Object.assign({}, ...given);
}

function settingTexts(settings: ImageUpdateSettings = {}): Record<string, string> {
  const { updateStrategy, forceUpdate, allowTags, ignoreTags, pullSecret, platforms } = settings;
  return {
    "update-strategy": updateStrategy ?? "",
    "force-update": String(forceUpdate ?? false),
    "allow-tags": allowTags ?? "",
    "ignore-tags": (ignoreTags ?? []).join(","),
    "pull-secret": pullSecret ?? "",
    platforms: (platforms ?? []).join(","),
  };
}

function targetTexts({ manifestTargets = {} }: UpdaterImage): Record<string, string> {
  const { helm, kustomize, plugin } = manifestTargets;
  return {
    "helm.image-name": helm?.name ?? "",
    "helm.image-tag": helm?.tag ?? "",
    "helm.image-spec": helm?.spec ?? "",
    "kustomize.image-name": kustomize?.name ?? "",
    "plugin.image-name": plugin?.name ?? "",
    "plugin.image-tag": plugin?.tag ?? "",
    "plugin.image-spec": plugin?.spec ?? "",
  };
}

function writeBackTexts(...all: (ImageWriteBack | undefined)[]): Record<string, string> {
  const { method = "" } = merged(...all) ?? {};
  const git = merged(...all.map((one) => one?.gitConfig)) ?? {};
  const { labels = [], ...hosts } = git.pullRequest ?? {};
  return {
    "write-back-method": method,
    "write-back-target": git.writeBackTarget ?? "",
    "git-repository": git.repository ?? "",
    "git-branch": git.branch ?? "",
    // More than one is told as what it is: none of those that there are.
    "pull-request": git.pullRequest ? Object.keys(hosts).join(", ") || "none" : "",
    "pull-request-labels": labels.join(","),
  };
}

/** Signatures of images are not verified here: what is to be verified is left alone. */
function verified(
  rules: UpdateRules | undefined,
  verificationOf: (alias: string) => ImagesVerification | undefined,
): UpdateRules | undefined {
  if (!rules) return undefined;
  const problems = [...rules.problems];
  const images = rules.images.filter(({ alias }) => {
    const verification = verificationOf(alias);
    if (!verification || verification.enabled === false) return true;
    problems.push(
      `${alias}: imagesVerification: signatures of images are not verified here: ${alias} is not updated`,
    );
    return false;
  });
  return { ...rules, images, problems };
}

/** Go's path.Match. */
const pathPattern = /^(?:[^[\\]|\\.|\[\^?(?:(?:[^\]\\-]|\\.)(?:-(?:[^\]\\-]|\\.))?)+\])*$/s;

function byName(left: ImageUpdater, right: ImageUpdater): number {
  return left.metadata.name < right.metadata.name ? -1 : 1;
}
