import { isRecord } from "@capstan/formats";
import { parseYaml } from "@capstan/model";
import type { Settings } from "@capstan/secret-services/settings";
import { decryptFile, formatOf, keyServices } from "@capstan/sops-files";
import type { Backend, BackendNeeds } from "./backend.ts";

/** A file of the source that SOPS encrypted, by its top-level keys (pkg/backends/localsecretmanager.go). */
export async function sopsFileBackend(
  settings: Settings,
  { clock, readFile, secretStores }: BackendNeeds,
): Promise<Backend> {
  if (!readFile) throw new Error("there is no source here whose files could be read");
  const services = keyServices(settings.process, clock, secretStores);
  return {
    async read({ path }, signal) {
      const bytes = await readFile(path, signal);
      if (!bytes) throw new Error("there is no such file in the source");
      const format = formatOf(path) === "json" ? "json" : "yaml";
      const plain = await decryptFile(bytes.toString(), { file: path, format, services, signal });
      return readKeys(plain.toString());
    },
  };
}

function readKeys(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch {
    // What the parser says may quote a value.
    value = undefined;
  }
  if (isRecord(value)) return value;
  throw new Error("what the file holds is no object, so it has no keys");
}
