import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dataFolder } from "./builtin-definitions.ts";

/** What kube-apiserver's messages say of Go's types and OpenAPI does not tell; see tools/generate-kube-go-types.ts. */
interface GoTypes {
  /** "io.k8s.api.core.v1.PodSpec.dnsPolicy" → "v1.DNSPolicy" */
  readonly named: Readonly<Record<string, string>>;
  /** "io.k8s.api.core.v1.Volume.secret" → "VolumeSource" */
  readonly embedded: Readonly<Record<string, string>>;
  /** "core.Volume" → its fields and their types, as the API server holds it in memory. */
  readonly structs: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

let loaded: GoTypes | undefined;

/** Read when the first message needs it. */
export function goTypes(): GoTypes {
  const types: GoTypes = loaded ?? JSON.parse(readFileSync(join(dataFolder, "go-types.json"), "utf8"));
  loaded = types;
  return types;
}
