import { CapstanError } from "@capstan/model";
import { joinWithin, listBelow, type RenderContext, readBelow } from "@capstan/plugin-kit";
import type { AppFile } from "./app-file.ts";

/** Where CDK8S_OUTDIR leads, below the folder that the application runs in. */
export const outputFolder = ".capstan-cdk8s";
const maxOutputBytes = 128 * 2 ** 20;
const maxOutputFiles = 100_000;

export interface MadeFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Where CDK8S_OUTDIR says, or where the application chose otherwise, what its cdk8s.yaml names. The application has
 * written there: a folder of these may be a link by now.
 */
export async function readOutput(
  folder: string,
  { path }: RenderContext,
  { output }: AppFile,
): Promise<MadeFile[]> {
  const made = readFiles(folder, outputFolder);
  if (made.length > 0) return made;
  const other = joinWithin(path, output);
  return other === undefined ? [] : readFiles(folder, other);
}

function readFiles(folder: string, directory: string): MadeFile[] {
  const made: MadeFile[] = [];
  let bytes = 0;
  for (const { name, path } of filesBelow(folder, directory)) {
    const text = readBelow(folder, path, { maxBytes: maxOutputBytes })?.toString() ?? "";
    bytes += text.length;
    if (bytes > maxOutputBytes) throw tooLarge();
    made.push({ name, text });
  }
  return made;
}

function filesBelow(folder: string, directory: string): { name: string; path: string }[] {
  const found: { name: string; path: string }[] = [];
  const waiting = [directory];
  let entries = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const entry of listBelow(folder, next) ?? []) {
      entries += 1;
      if (entries > maxOutputFiles) throw tooLarge();
      const path = `${next}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile() && /\.(ya?ml|json)$/.test(entry.name)) found.push({ name: entry.name, path });
    }
  return found.sort((left, right) => (left.name < right.name ? -1 : 1));
}

function tooLarge(): CapstanError {
  return new CapstanError({ code: "OUTPUT_TOO_LARGE", what: "the application", limitBytes: maxOutputBytes });
}
