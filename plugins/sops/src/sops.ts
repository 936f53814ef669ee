import { findReferences } from "@capstan/kustomizations";
import { type Inputs, inProcessPlugin, type Plugin, type RenderContext } from "@capstan/plugin-kit";
import { chosenFiles, defaultGlobs, globsOf } from "./chosen-files.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Decrypts the files that SOPS encrypted, in place, for the stages that follow: value files, variables of kustomize's
 * generators, whole documents. KSOPS's generators become what kustomize can do itself, so that no exec has to be
 * allowed. Keys are found by the variables that sops reads in `env`.
 */
export function sops(env: Env): Plugin {
  return inProcessPlugin({
    name: "sops",
    sensitive: true,
    parameters: [
      {
        name: "files",
        title: "Files to decrypt",
        tooltip: "Globs from the application's directory; files that sops did not encrypt are left alone",
        collectionType: "array",
        array: [...defaultGlobs],
      },
    ],
    inputs,
    prepare: async (context, stage) => (await import("./decrypt-tree.ts")).decryptTree(context, stage, env),
  });
}

async function inputs(context: RenderContext): Promise<Inputs> {
  const { tree, path } = context;
  const references = await findReferences(tree, path, []);
  const entries = await chosenFiles(context);
  const paths = [path, ...references.paths, ...entries.map((entry) => entry.path)];
  return { paths: [...new Set(paths)], refs: {}, facts: { path, globs: globsOf(context) } };
}
