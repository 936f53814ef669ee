import { readYaml, textAt } from "@capstan/krm-yaml";
import type { KrmFunction, ResultItem } from "../function.ts";
import { annotationOf, clearAnnotation, fileOf, type Item, identityOf, labelsOf, placeAt } from "../item.ts";
import { PackageError } from "../trace-error.ts";
import { type FormerFunction, fixKptfile } from "./fix-kptfile.ts";
import { fixSetterComments, settersIn } from "./fix-setters.ts";
import { refuse } from "./function-config.ts";

const inventoryLabel = "cli-utils.sigs.k8s.io/inventory-id";
const functionNotes = ["config.kubernetes.io/function", "config.k8s.io/function"];

/** Brings packages of kpt before 1.0 to kpt.dev/v1 (catalog functions/go/fix/fixpkg/fix.go). */
export const fix: KrmFunction = (list) => {
  const results: ResultItem[] = [];
  try {
    list.items.push(...fixPackages(list.items, results));
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    return refuse(list, "failed to fix package", error.message);
  }
  list.results = results;
  return undefined;
};

/** The items are changed in place; the result are those to be added. */
function fixPackages(items: Item[], results: ResultItem[]): Item[] {
  const kptfiles = items.filter((item) => identityOf(item).kind === "Kptfile");
  if (kptfiles.length === 0)
    throw new PackageError(
      "Kptfile not found in directory tree, make sure you specify '--include-meta-resources' flag",
    );
  const folders = new Set(kptfiles.map((item) => folderOf(fileOf(item).path)));
  const settersOf = new Map(kptfiles.map((item) => [folderOf(fileOf(item).path), settersIn(item.root)]));
  const packageOf = new Map(items.map((item) => [item, nearestPackage(fileOf(item).path, folders)]));
  const added: Item[] = [];
  for (const item of items) {
    const file = fileOf(item).path;
    const tell = (message: string, path = file): void => void results.push({ message, file: { path } });
    if (kptfiles.includes(item)) {
      const folder = folderOf(file);
      const own = items.filter((one) => packageOf.get(one) === folder && !kptfiles.includes(one));
      added.push(...fixKptfile(item, { folder, functions: moveConfigs(own, folder), tell }));
    } else if ((labelsOf(item).get(inventoryLabel) ?? "") !== "")
      tell(
        'Please refer to https://googlecontainertools.github.io/kpt/reference/live/alpha/, this package is using "inventory-object"',
      );
    else fixSetterComments(item.root, settersOf.get(packageOf.get(item) ?? ""));
  }
  return added;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

function nearestPackage(path: string, folders: ReadonlySet<string>): string | undefined {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    if (folders.has(folder)) return folder;
    if (folder === "") return undefined;
  }
}

/** Resources that configured a function by an annotation move to files of their own beside the Kptfile. */
function moveConfigs(items: readonly Item[], folder: string): FormerFunction[] {
  const functions: FormerFunction[] = [];
  for (const item of items) {
    const note = functionNotes.map((key) => annotationOf(item, key)).find((value) => value !== "");
    if (note === undefined) continue;
    const [document] = readYaml("the function annotation", note);
    const configPath = `${identityOf(item).name}.yaml`;
    functions.push({ image: textAt(document?.root, "container", "image"), configPath });
    placeAt(item, folder === "" ? configPath : `${folder}/${configPath}`);
    for (const key of functionNotes) clearAnnotation(item, key);
  }
  return functions;
}
