import { basename } from "node:path";
import { isRecord } from "@capstan/formats";
import { CapstanError, parseYaml } from "@capstan/model";
import { followLinks, type SourceTree, type TreeEntry } from "@capstan/plugin-kit";

/** In the order of kustomize's RecognizedKustomizationFileNames. */
const names = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

export interface KustomizationFile {
  /** From the repository's root. */
  path: string;
  text: string;
  content: Record<string, unknown>;
}

/** The kustomization of a directory, if it has one; as kustomize has it, more than one are an error. */
export async function readKustomization(
  tree: SourceTree,
  directory: string,
): Promise<KustomizationFile | undefined> {
  const found: { path: string; entry: TreeEntry }[] = [];
  for (const name of names) {
    const path = directory === "" ? name : `${directory}/${name}`;
    const entry = await followLinks(tree, path);
    if (entry?.kind === "file" || entry?.kind === "executable") found.push({ path, entry });
  }
  const [first, second] = found;
  if (!first) return undefined;
  const { path, entry } = first;
  if (second)
    throw invalid(second.path, `${basename(path)} is beside it, and a directory has one kustomization`);
  const text = (await tree.read(entry)).toString();
  const content = parseYaml(text, { file: path }) ?? {};
  if (isRecord(content)) return { path, text, content };
  throw invalid(path, "a kustomization must be an object");
}

function invalid(file: string, problem: string): CapstanError {
  return new CapstanError({ code: "YAML_INVALID", file, problem });
}
