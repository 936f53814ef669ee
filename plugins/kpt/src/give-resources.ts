import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { MappingNode } from "@capstan/krm-yaml";
import type { Item } from "./item.ts";
import { writeFolder } from "./package-folder.ts";
import { printResourceList } from "./resource-list.ts";
import { PackageError } from "./trace-error.ts";
import { printUnwrapped, writeResources } from "./write-resources.ts";

export interface Outlet {
  out: (text: string) => void;
}

/** A folder to write into must not be there yet. */
export function checkOutput(output: string): void {
  const isFolder = output !== "" && output !== "stdout" && output !== "unwrap";
  if (isFolder && existsSync(output))
    throw new PackageError(`directory "${output}" already exists, please delete the directory and retry`);
}

/** Resources to where `-o` says: stdout as a list, unwrap as documents, or a folder (cmdutil WriteFnOutput). */
export async function giveResources(items: readonly Item[], output: string, { out }: Outlet): Promise<void> {
  if (output === "stdout") out(printList(items, undefined));
  else if (output === "unwrap") out(printUnwrapped(items));
  else {
    await mkdir(output, { recursive: true });
    await writeFolder(output, { written: writeResources(items), removed: [] }, new Map());
  }
}

export function printList(items: readonly Item[], functionConfig: MappingNode | undefined): string {
  return printResourceList({ items: [...items], functionConfig });
}
