import type { KubeObject, Objects } from "../../types.ts";
import { resourceTypes } from "../resource-types.ts";

/** Keys and contents of a ConfigMap or Secret; empty where it is not there. */
export function storedData(
  objects: Objects,
  place: { kind: "ConfigMap" | "Secret"; namespace: string; name: string },
): ReadonlyMap<string, Buffer> {
  const { kind, namespace, name } = place;
  const type = kind === "Secret" ? resourceTypes.secrets : resourceTypes.configMaps;
  const object = objects.get<KubeObject>(type, namespace, name);
  const plain = kind === "Secret" ? "base64" : "utf8";
  return new Map([...entriesOf(object?.data, plain), ...entriesOf(object?.binaryData, "base64")]);
}

function entriesOf(data: unknown, encoding: BufferEncoding): [string, Buffer][] {
  if (typeof data !== "object" || data === null) return [];
  return Object.entries(data).map(([key, value]) => [key, Buffer.from(String(value), encoding)]);
}
