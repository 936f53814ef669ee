import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { checkOutput, giveResources, type Outlet, printList } from "./give-resources.ts";
import type { Item } from "./item.ts";
import { readFolder } from "./package-folder.ts";
import { readResources } from "./read-resources.ts";
import { type Lookup, resolveLink } from "./resolve-link.ts";
import { readStream } from "./resource-list.ts";
import { PackageError } from "./trace-error.ts";

export interface KptSourceRequest {
  directory: string;
  output: "stdout" | "unwrap";
  /** A file, or empty. */
  fnConfig: string;
}

/** `kpt fn source`: a package as one list, for programs in a row. */
export async function sourceKptFolder(request: KptSourceRequest, around: Outlet & Lookup): Promise<number> {
  const config = request.fnConfig === "" ? undefined : await readConfig(request.fnConfig);
  const files = await readFolder(await resolveLink(resolve(request.directory), around));
  const items = readResources(files, "", { withSubpackages: true });
  if (request.output === "stdout") around.out(printList(items, config?.root));
  else await giveResources(items, "unwrap", around);
  return 0;
}

async function readConfig(file: string): Promise<Item | undefined> {
  const name = basename(file);
  const isRead = /\.ya?ml$/.test(name);
  const found = readResources(new Map(isRead ? [[name, await readFile(file, "utf8")]] : []), "");
  if (found.length !== 1) throw new PackageError(`expected exactly 1 functionConfig, found ${found.length}`);
  return found[0];
}

/** `kpt fn sink`: the files of a list, into a folder that is not there yet. */
export async function sinkKptFolder(
  directory: string,
  around: Outlet & { readInput: () => Promise<string> },
): Promise<number> {
  checkOutput(directory);
  await giveResources(readStream(await around.readInput(), "standard input"), directory, around);
  return 0;
}
