import { readFile } from "node:fs/promises";
import { groupOf, isManifest, type Manifest, parseYaml } from "@capstan/model";
import { ExitError } from "../../command.ts";
import type { Io } from "../../io.ts";
import type { GivenSettings } from "./settings-source.ts";

/** The object that `admin settings resource-overrides` is asked about. */
export async function readResource(path: string): Promise<Manifest> {
  const value = parseYaml(await readFile(path, "utf8"), { file: path });
  if (!isManifest(value)) throw new ExitError(`${path} holds no object`, 20);
  return value;
}

/** As argocd says it: the group is empty for what Kubernetes has without one. */
export const kindOf = ({ apiVersion, kind }: Manifest): string => `'${groupOf(apiVersion)}/${kind}'`;

/** What cannot be read of the overrides does not count in the answer. */
export function warnOfProblems({ problems }: GivenSettings, io: Io): void {
  for (const { where, field, problem } of problems)
    if (field.startsWith("resource.customizations")) io.err(`warning: ${where}: ${field} ${problem}\n`);
}
