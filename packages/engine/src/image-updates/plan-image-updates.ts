import { type Application, hasMultipleSources, sourcesOf } from "@capstan/model";
import { type ImageName, type ImageVersion, imageKey, nameOf, readImage, versionText } from "./image-name.ts";
import type { PassedOver } from "./judge-tags.ts";
import { hasNames } from "./read-update-rules.ts";
import { imageSettings, type SourceSetting, withSettings } from "./source-settings.ts";
import type { ImageRule, ImageTool, WriteBack } from "./update-rules.ts";
import type { RulesOfApplication } from "./updater-rules.ts";

/** What was found for a rule: the version that it asks for, or why there is none. */
export interface ImageFinding {
  readonly rule: ImageRule;
  readonly version?: ImageVersion | undefined;
  readonly passedOver: readonly PassedOver[];
  readonly problem?: string | undefined;
}

/** What becomes of one image, and why. */
export interface ImageVerdict {
  readonly alias: string;
  /** Without tag. */
  readonly image: string;
  /** The version that runs; empty: none is known. */
  readonly from: string;
  /** That it gets, or has; empty: none was found. */
  readonly to: string;
  readonly does: "update" | "keep" | "skip";
  readonly because: string;
  readonly passedOver: readonly PassedOver[];
}

export interface ImageChange {
  readonly rule: ImageRule;
  readonly from: ImageVersion;
  readonly to: ImageVersion;
}

export interface ImagePlan {
  readonly verdicts: readonly ImageVerdict[];
  readonly changes: readonly ImageChange[];
  readonly writeBack: WriteBack | undefined;
  readonly problems: readonly string[];
  /** `NAMESPACE/NAME` of the ImageUpdater that asks for it; absent: the application's annotations do. */
  readonly updater?: string | undefined;
  /** Of the images, those that run or are changed nevertheless. */
  readonly considered: number;
  /** Settings that cannot be followed, and images of which nothing could be found out. */
  readonly errors: number;
}

/** The source that renders the images, by its place, and with what. */
export interface ImageSource {
  readonly index: number;
  readonly tool: ImageTool;
}

/** What would be changed for an application; what each image is left for is said. */
export function planImageUpdates(
  app: Application,
  { writeBack, problems, updater }: Omit<RulesOfApplication, "images">,
  findings: readonly ImageFinding[],
): ImagePlan {
  const running = (app.status?.summary?.images ?? []).flatMap((text) => readImage(text) ?? []);
  const source = imageSource(app, writeBack);
  const changes: ImageChange[] = [];
  const verdicts = findings.map((finding): ImageVerdict => {
    const { rule, version, passedOver } = finding;
    const own = runningOf(running, rule);
    const shown = { alias: rule.alias, image: nameOf(rule.image), passedOver };
    const from = versionToReplace(own, finding);
    const told = { ...shown, from: from ? versionText(from) : "", to: version ? versionText(version) : "" };
    const skip = (because: string) => ({ ...told, does: "skip" as const, because });
    if (finding.problem !== undefined) return skip(finding.problem);
    if (own.length === 0 && !rule.forceUpdate)
      return skip("no such image runs in the application: set force-update to change it nevertheless");
    if (!version) return skip("no tag fits");
    if (from && isSame(from, version))
      return { ...told, does: "keep", because: "it runs the version already" };
    if (source === undefined) return skip(noSource);
    if ((source.tool === "Plugin") !== hasNames(rule.plugin))
      return skip(source.tool === "Plugin" ? noVariables : noPlugin);
    const settings = imageSettings({ rule, to: version }, source.tool);
    if (writeBack?.method === "argocd" && isSet(app, source.index, settings))
      return { ...told, does: "keep", because: "the application asks for it already, and is not synced yet" };
    changes.push({ rule, from: from ?? { tag: "", digest: "" }, to: version });
    return { ...told, does: "update", because: "a newer version fits" };
  });
  const considered = verdicts.filter(({ from, does }) => from !== "" || does !== "skip").length;
  const errors = problems.length + findings.filter(({ problem }) => problem !== undefined).length;
  return { verdicts, changes, writeBack, problems, updater, considered, errors };
}

const noVariables =
  "a plugin makes its manifests: say by manifestTargets.plugin of an ImageUpdater, or plugin.image-tag, which of its variables are the image";
const noPlugin = "it names variables of a plugin, and the application has no source that a plugin makes";
const noSource =
  "the application has no source of Helm, Kustomize or a plugin, whose images can be set: status.sourceType says which it is";

function isSet(app: Application, index: number, settings: readonly SourceSetting[]): boolean {
  const source = sourcesOf(app)[index];
  return source !== undefined && withSettings(source, settings) === source;
}

function runningOf(running: readonly ImageName[], { image, kustomizeName }: ImageRule): ImageName[] {
  const ofName = (name: Pick<ImageName, "host" | "path">) => {
    const key = imageKey(name);
    return running.filter((one) => imageKey(one) === key);
  };
  const own = ofName(image);
  const replaced = readImage(kustomizeName);
  return own.length > 0 || !replaced ? own : ofName(replaced);
}

/** The one of those that run which has to change; one that need not, where none has to. */
function versionToReplace(
  own: readonly ImageName[],
  { rule, version }: ImageFinding,
): ImageVersion | undefined {
  const [first] = own;
  if (!version || !first) return first;
  const replaced = first !== undefined && imageKey(first) !== imageKey(rule.image);
  // The image itself is another one: whatever its version.
  if (replaced) return { tag: nameOf(first), digest: first.digest };
  if (version.digest === "") return own.find((one) => one.tag === version.tag) ?? first;
  // Several containers may follow several tags of one image (argocd-image-updater MatchForDigestUpdate).
  const ofTag = own.filter((one) => one.tag === version.tag);
  const followed = ofTag.length > 0 ? ofTag : own;
  return followed.find((one) => one.digest !== version.digest) ?? followed[0];
}

function isSame(from: ImageVersion, to: ImageVersion): boolean {
  return to.digest === "" ? from.tag === to.tag : from.digest === to.digest;
}

/** As argocd-image-updater finds it: what the write-back asks for, what a source says, what it was rendered with. */
export function imageSource(app: Application, writeBack: WriteBack | undefined): ImageSource | undefined {
  // What is synced is generated: what it is generated from is not followed.
  if (app.spec.sourceHydrator !== undefined) return undefined;
  const sources = sourcesOf(app);
  const isMultiple = hasMultipleSources(app.spec);
  const rendered = isMultiple ? (app.status?.sourceTypes ?? []) : [app.status?.sourceType ?? ""];
  const target = writeBack?.method === "git" ? writeBack.target.kind : "override";
  const wanted: readonly ImageTool[] =
    target === "kustomization"
      ? ["Kustomize"]
      : target === "helmvalues"
        ? ["Helm"]
        : ["Helm", "Kustomize", "Plugin"];
  const found = (isOf: (tool: ImageTool, index: number) => boolean): ImageSource | undefined => {
    for (const tool of wanted)
      for (const index of sources.keys()) if (isOf(tool, index)) return { index, tool };
    return undefined;
  };
  const said = found((tool, index) => {
    const source = sources[index];
    if (tool === "Plugin") return source?.plugin !== undefined;
    return tool === "Helm" ? source?.helm !== undefined : source?.kustomize !== undefined;
  });
  const ofRender = found((tool, index) => rendered[index] === tool);
  // A single source is what it was rendered with, whatever sections it has.
  const best = isMultiple ? (said ?? ofRender) : (ofRender ?? said);
  if (best || target === "override") return best;
  return sources.length === 0 ? undefined : { index: 0, tool: wanted[0] ?? "Helm" };
}

/** The whole plan as people read it. */
export function printImagePlan({ verdicts, problems }: ImagePlan): string {
  const lines = verdicts.map(({ does, alias, image, from, to, because }) => {
    const change = does === "update" ? `${from || "nothing"} -> ${to}` : from;
    return [does.padEnd(6), alias, image, change, `(${because})`].filter((one) => one !== "").join(" ");
  });
  return [...lines, ...problems.map((problem) => `problem ${problem}`)].join("\n");
}

export function changeText({ rule, from, to }: ImageChange): string {
  return `${nameOf(rule.image)} ${versionText(from) || "nothing"} -> ${versionText(to)}`;
}
