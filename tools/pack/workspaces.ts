import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A package of this repository. */
export interface Workspace {
  /** From the repository's top. */
  readonly folder: string;
  readonly manifest: PackageFile;
}

export function readPackage(folder: string): PackageFile {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** By name. */
export function readWorkspaces(): ReadonlyMap<string, Workspace> {
  return new Map(
    globSync("{packages,plugins,languages}/*/package.json").map((file) => {
      const folder = dirname(file);
      const manifest = readPackage(folder);
      return [manifest.name, { folder, manifest }];
    }),
  );
}

/** `@capstan/x/door`: the file behind it; nothing where the name is no package's of ours. Throws for an unknown door. */
export function doorOf(name: string, workspaces: ReadonlyMap<string, Workspace>): string | undefined {
  const [scope, short, ...door] = name.split("/");
  const workspace = workspaces.get(`${scope}/${short}`);
  if (workspace === undefined) return undefined;
  const target = workspace.manifest.exports?.[[".", ...door].join("/")];
  if (target === undefined) throw new Error(`${name}: that package has no such door`);
  return join(workspace.folder, target);
}

/** `./x.ts` as a file at `from` names it: the program's file of that name, where there is one. */
export function ownFile(name: string, from: string): string | undefined {
  if (!name.startsWith(".") || !/\.[jt]s$/.test(name)) return undefined;
  const target = join(dirname(from), name);
  return existsSync(target) ? target : undefined;
}
