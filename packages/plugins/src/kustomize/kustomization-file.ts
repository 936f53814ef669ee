import { CapstanError, isRecord, parseYaml } from "@capstan/model";
import { followLinks, type SourceTree } from "@capstan/plugin-kit";

/** In the order of kustomize's RecognizedKustomizationFileNames. */
const names = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

export interface KustomizationFile {
  /** From the repository's root. */
  path: string;
  content: Record<string, unknown>;
}

/** The kustomization of a directory, if it has one. */
export async function readKustomization(
  tree: SourceTree,
  directory: string,
): Promise<KustomizationFile | undefined> {
  for (const name of names) {
    const path = directory === "" ? name : `${directory}/${name}`;
    const entry = await followLinks(tree, path);
    if (entry?.kind !== "file" && entry?.kind !== "executable") continue;
    const content = parseYaml((await tree.read(entry)).toString(), { file: path }) ?? {};
    if (isRecord(content)) return { path, content };
    throw new CapstanError({
      code: "YAML_INVALID",
      file: path,
      problem: "a kustomization must be an object",
    });
  }
  return undefined;
}
