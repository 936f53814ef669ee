import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { stringifyJson } from "@capstan/formats";
import { parseManifests } from "@capstan/model";
import { ExitError } from "../../command.ts";
import type { Io } from "../../io.ts";

const maxBytes = 32 * 1024 * 1024;

/** Plain manifests of a folder of this machine. Charts and kustomizations are rendered by the server, from git. */
export async function localManifests(folder: string, io: Pick<Io, "err">): Promise<string[]> {
  const names = (await readdir(folder)).sort();
  const tool = names.find((name) => /^(Chart\.yaml|kustomization\.ya?ml|Kustomization)$/.test(name));
  if (tool)
    throw new ExitError(
      `${join(folder, tool)}: only folders of plain manifests can be given with --local for now`,
      20,
    );
  const found: string[] = [];
  let bytes = 0;
  for (const name of names.filter((one) => /\.(ya?ml|json)$/.test(one))) {
    const file = join(folder, name);
    if (!(await realpath(file)).startsWith(`${await realpath(folder)}${sep}`))
      throw new ExitError(`${file} is a link to a file outside of ${folder}: it is not sent`, 20);
    bytes += (await stat(file)).size;
    if (bytes > maxBytes) throw new ExitError(`${folder} holds more than ${maxBytes} bytes of manifests`, 20);
    for (const manifest of parseManifests(await readFile(file, "utf8"), { file }))
      found.push(stringifyJson(manifest));
  }
  if (found.length === 0) io.err(`${folder} holds no manifests\n`);
  return found;
}
