import { type ApplicationSet, isApplicationSet, parseYamlDocuments } from "@capstan/model";
import { ExitError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { readText } from "../../read-text.ts";

/** Those of a file, an address or standard input; the server checks them, and says which field is wrong. */
export async function readSets(file: string, io: Io): Promise<ApplicationSet[]> {
  const place = file === "-" ? "standard input" : file;
  const documents = parseYamlDocuments(await readText(file, io), { file: place });
  const found = documents.map(({ value }) => value).filter(isApplicationSet);
  if (found.length === 0) throw new ExitError(`No ApplicationSets found while parsing ${place}`, 1);
  for (const { metadata } of found)
    if (!metadata.name) throw new ExitError(`an ApplicationSet of ${place} has no name`, 20);
  return found;
}

/** `name` or `namespace/name`. */
export function readSetName(text: string): { name: string; appsetNamespace?: string } {
  const slash = text.indexOf("/");
  return slash > 0 ? { name: text.slice(slash + 1), appsetNamespace: text.slice(0, slash) } : { name: text };
}
