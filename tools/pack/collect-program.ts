import { globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { type CodeChange, pathFrom, withChanges } from "./change-code.ts";
import { readLiterals } from "./read-literals.ts";
import { doorOf, ownFile, type Workspace } from "./workspaces.ts";

/** Files of the program as they are packed: path from the top, and content. */
export type PackedFiles = ReadonlyMap<string, string>;

export interface CollectedProgram {
  readonly files: PackedFiles;
  /** Folders of the workspaces that files come from. */
  readonly folders: ReadonlySet<string>;
}

/**
 * All that the entries lead to, in JavaScript: each TypeScript file as its own, with types blanked (lines and columns
 * stay, so that a stack trace leads to the source), and names of our own packages and `.ts` files as paths of what is
 * packed. Other files are followed by what names them: an import, or a string that begins with a dot; threads and
 * children (`…-worker.ts`) of a package that is reached come along.
 */
export function collectProgram(
  entries: readonly string[],
  workspaces: ReadonlyMap<string, Workspace>,
): CollectedProgram {
  const files = new Map<string, string>();
  const folders = new Set<string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const packed = packedName(file);
    if (files.has(packed)) continue;
    const { code, leads } = toJavaScript(file, workspaces);
    files.set(packed, code);
    open.push(...leads);
    const folder = /^(?:packages|plugins|languages)\/[^/]+/.exec(file)?.[0];
    if (folder === undefined || folders.has(folder)) continue;
    folders.add(folder);
    open.push(...globSync(`${folder}/src/**/*-worker.ts`));
  }
  return { files, folders };
}

function toJavaScript(file: string, workspaces: ReadonlyMap<string, Workspace>) {
  const source = readFileSync(file, "utf8");
  const code = file.endsWith(".ts") ? stripTypeScriptTypes(source) : source;
  const leads: string[] = [];
  const changes: CodeChange[] = [];
  for (const { value, isModule, ...where } of readLiterals(packedName(file), code)) {
    const target = isModule || value.startsWith(".") ? targetOf(value, file, workspaces) : undefined;
    if (target === undefined) continue;
    leads.push(target);
    changes.push({ ...where, text: JSON.stringify(pathFrom(file, packedName(target))) });
  }
  return { code: withChanges(code, changes), leads };
}

/** The file of ours that a string of another names. */
function targetOf(
  value: string,
  file: string,
  workspaces: ReadonlyMap<string, Workspace>,
): string | undefined {
  return value.startsWith(".") ? ownFile(value, file) : doorOf(value, workspaces);
}

export function packedName(file: string): string {
  return file.replace(/\.ts$/, ".js");
}
