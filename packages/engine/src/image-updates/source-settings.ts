import { equalJson } from "@capstan/formats";
import type { ApplicationSource } from "@capstan/model";
import { type ImageVersion, imageKey, nameOf, readImage, referenceOf, versionText } from "./image-name.ts";
import type { ImageRule, ImageTool } from "./update-rules.ts";

/** One value that makes a source use a version of an image. */
export type SourceSetting =
  | { readonly kind: "kustomize"; readonly image: string }
  | { readonly kind: "helm"; readonly name: string; readonly value: string }
  /** A variable of a plugin. */
  | { readonly kind: "env"; readonly name: string; readonly value: string };

const defaultHelm = { name: "image.name", tag: "image.tag" };

/** As argocd-image-updater sets them: SetHelmImage, SetKustomizeImage, SetPluginImage. */
export function imageSettings(
  { rule, to }: { rule: ImageRule; to: ImageVersion },
  tool: ImageTool,
): SourceSetting[] {
  const { image, helm, plugin, kustomizeName } = rule;
  const reference = referenceOf(image, to);
  if (tool === "Kustomize")
    return [{ kind: "kustomize", image: kustomizeName === "" ? reference : `${kustomizeName}=${reference}` }];
  if (tool === "Plugin") {
    const variables = [
      { name: plugin.spec, value: reference },
      ...(plugin.spec === ""
        ? [
            { name: plugin.name, value: nameOf(image) },
            { name: plugin.tag, value: versionText(to) },
          ]
        : []),
    ];
    return variables.filter(({ name }) => name !== "").map((one) => ({ kind: "env", ...one }));
  }
  if (helm.spec !== "") return [{ kind: "helm", name: helm.spec, value: reference }];
  return [
    { kind: "helm", name: helm.name || defaultHelm.name, value: nameOf(image) },
    { kind: "helm", name: helm.tag || defaultHelm.tag, value: versionText(to) },
  ];
}

/** The source with its settings; the very same where it has them. */
export function withSettings(
  source: ApplicationSource,
  settings: readonly SourceSetting[],
): ApplicationSource {
  const parameters = [...(source.helm?.parameters ?? [])];
  const images = [...(source.kustomize?.images ?? [])];
  const env = [...(source.plugin?.env ?? [])];
  for (const setting of settings)
    if (setting.kind === "kustomize") put(images, setting.image, (one) => isSameImage(one, setting.image));
    else if (setting.kind === "env")
      put(env, { name: setting.name, value: setting.value }, (one) => one.name === setting.name);
    else {
      const parameter = { name: setting.name, value: setting.value, forceString: true };
      put(parameters, parameter, (one) => one.name === setting.name);
    }
  const changed = {
    ...source,
    ...(parameters.length > 0 ? { helm: { ...source.helm, parameters } } : {}),
    ...(images.length > 0 ? { kustomize: { ...source.kustomize, images } } : {}),
    ...(env.length > 0 ? { plugin: { ...source.plugin, env } } : {}),
  };
  return equalJson(changed, source) ? source : changed;
}

function put<Item>(list: Item[], item: Item, isSame: (one: Item) => boolean): void {
  const at = list.findIndex(isSame);
  if (at < 0) list.push(item);
  else list[at] = item;
}

/** Of `[OLD=]NAME[:TAG][@DIGEST]`: those that are about the same image of the kustomization. */
export function isSameImage(one: string, other: string): boolean {
  return replacedBy(one) === replacedBy(other);
}

function replacedBy(text: string): string {
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  const image = readImage(name);
  return image ? imageKey(image) : name;
}
