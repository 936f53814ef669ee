import { byFieldOrder, mapping, printYaml, text } from "@capstan/krm-yaml";
import { annotationsOf, type Item, identityOf, placeAt } from "../item.ts";
import { listIn, mapIn, objectIn, objectNode, textIn } from "../kptfile.ts";
import { type KptfileObject, readFormerKptfile } from "../read-kptfile.ts";
import { listAsLines, settersIn, setterValues } from "./fix-setters.ts";

const settersFile = "setters.yaml";
const applySetters = "gcr.io/kpt-fn/apply-setters:";

export interface FormerFunction {
  image: string;
  configPath: string;
}

export interface PackagePlace {
  folder: string;
  /** That resources of the package configured by an annotation. */
  functions: readonly FormerFunction[];
  tell(message: string, path?: string): void;
}

/** The Kptfile is changed in place; the result is what its setters need beside it. */
export function fixKptfile(item: Item, place: PackagePlace): Item[] {
  const { apiVersion } = identityOf(item);
  if (apiVersion.includes("v1alpha2")) return fromSecond(item, place);
  if (apiVersion === "kpt.dev/v1") {
    place.tell("This package is already fixed as it is on latest apiVersion kpt.dev/v1");
    return [];
  }
  return fromFirst(item, place);
}

function sourceOf({ root }: Item): string {
  return printYaml({ root }, { seqIndent: "compact" });
}

/** Setters in the Kptfile itself get a file of their own. */
function fromSecond(item: Item, { folder, tell }: PackagePlace): Item[] {
  tell("Updated apiVersion to kpt.dev/v1");
  const kptfile = readFormerKptfile(sourceOf(item), "v1alpha2");
  const pipeline = objectIn(kptfile, "pipeline");
  const added: Item[] = [];
  const mutators = listIn(pipeline, "mutators").map((mutator): KptfileObject => {
    const { configMap: _, ...rest } = mutator;
    const values = mapIn(mutator, "configMap");
    if (!textIn(mutator, "image").includes(applySetters) || values.size === 0) return mutator;
    const config = settersConfig(values, folder);
    added.push(config.item);
    tell("Moved setters from configMap to configPath", config.path);
    return { ...rest, configPath: settersFile };
  });
  const fixed = { ...kptfile, apiVersion: "kpt.dev/v1" };
  item.root = objectNode(
    mutators.length > 0 ? { ...fixed, pipeline: { ...pipeline, mutators } } : fixed,
    "Kptfile",
  );
  return added;
}

function fromFirst(item: Item, { folder, functions, tell }: PackagePlace): Item[] {
  const former = readFormerKptfile(sourceOf(item), "v1alpha1");
  const info = former.packageMetadata && readInfo(objectIn(former, "packageMetadata"));
  if (info) tell('Transformed "packageMetadata" to "info"');
  const origin = former.upstream && readOrigin(objectIn(former, "upstream"));
  if (origin) tell('Transformed "upstream" to "upstream" and "upstreamLock"');
  const values = setterValues(settersIn(item.root));
  for (const { image } of functions)
    tell(
      `Added ${JSON.stringify(image)} to mutators list, please move it to validators section if it is a validator function`,
    );
  const mutators: KptfileObject[] = functions.map((one) => ({ ...one }));
  const added: Item[] = [];
  if (values.size > 0) {
    mutators.unshift({ image: `${applySetters}v0.2`, configPath: settersFile });
    added.push(settersConfig(values, folder).item);
    tell('Transformed "openAPI" definitions to "apply-setters" function');
  }
  const fixed: KptfileObject = {
    apiVersion: "kpt.dev/v1",
    kind: "Kptfile",
    metadata: { ...objectIn(former, "metadata"), annotations: annotationsOf(item) },
    ...origin,
    ...(info ? { info } : {}),
    pipeline: { mutators },
    ...(former.inventory ? { inventory: objectIn(former, "inventory") } : {}),
  };
  item.root = objectNode(fixed, "Kptfile");
  return added;
}

function readInfo(former: KptfileObject): KptfileObject {
  const email = textIn(former, "email");
  return {
    site: textIn(former, "url"),
    emails: email === "" ? [] : [email],
    license: textIn(former, "license"),
    description: textIn(former, "shortDescription"),
    keywords: former.tags ?? [],
    man: textIn(former, "man"),
  };
}

function readOrigin(former: KptfileObject): { upstream: KptfileObject; upstreamLock: KptfileObject } {
  const type = textIn(former, "type");
  const typed = type === "" ? {} : { type };
  const { commit, ...git } = { commit: "", ...objectIn(former, "git") };
  return {
    upstream: { ...typed, git, updateStrategy: "resource-merge" },
    upstreamLock: { ...typed, git: { ...git, commit } },
  };
}

/** What apply-setters is given: a ConfigMap of names and values. */
function settersConfig(values: ReadonlyMap<string, string>, folder: string): { item: Item; path: string } {
  const path = folder === "" ? settersFile : `${folder}/${settersFile}`;
  const names = [...values.keys()].sort(byFieldOrder);
  const root = mapping([
    { key: text("apiVersion"), value: text("v1") },
    { key: text("kind"), value: text("ConfigMap") },
    { key: text("metadata"), value: mapping([{ key: text("name"), value: text("setters") }]) },
    {
      key: text("data"),
      value: mapping(
        names.map((name) => ({ key: text(name), value: text(listAsLines(values.get(name) ?? "")) })),
      ),
    },
  ]);
  const item = { root, head: "", foot: "" };
  placeAt(item, path);
  return { item, path };
}
