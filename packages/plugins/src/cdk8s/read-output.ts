import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { CapstanError } from "@capstan/model";
import { joinWithin, type RenderContext } from "@capstan/plugin-kit";
import type { AppFile } from "./app-file.ts";

/** Where CDK8S_OUTDIR leads, below the folder that the application runs in. */
export const outputFolder = ".capstan-cdk8s";
const maxOutputBytes = 128 * 2 ** 20;

export interface MadeFile {
  readonly name: string;
  readonly text: string;
}

/** Where CDK8S_OUTDIR says, or where the application chose otherwise, what its cdk8s.yaml names. */
export async function readOutput(
  folder: string,
  { path }: RenderContext,
  { output }: AppFile,
): Promise<MadeFile[]> {
  const made = await readFiles(join(folder, outputFolder));
  if (made.length > 0) return made;
  const other = joinWithin(path, output);
  return other === undefined ? [] : readFiles(join(folder, other));
}

async function readFiles(directory: string): Promise<MadeFile[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name));
  const made: MadeFile[] = [];
  let bytes = 0;
  for (const { name, parentPath } of files.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const text = await readFile(join(parentPath, name), "utf8");
    bytes += text.length;
    if (bytes > maxOutputBytes)
      throw new CapstanError({
        code: "OUTPUT_TOO_LARGE",
        what: "the application",
        limitBytes: maxOutputBytes,
      });
    made.push({ name, text });
  }
  return made;
}
