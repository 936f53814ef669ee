import { parseJson } from "@capstan/formats";
import { parseYamlDocuments } from "@capstan/model";

/** Whether a file within a manifest, YAML or JSON by its name, could be read before values came into it and cannot after. */
export function breaksDocument(name: string, before: string, after: string): boolean {
  const parse = /\.json$/.test(name) ? parseJson : /\.ya?ml$/.test(name) ? parseYamlDocuments : undefined;
  return parse !== undefined && isReadable(before, parse) && !isReadable(after, parse);
}

function isReadable(text: string, parse: (text: string) => unknown): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}
