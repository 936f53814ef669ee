import { isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import { listAt, recordAt, textAt } from "../read-json.ts";

/** What of a CRD or an APIService decides which kinds are served. */
export function shapeOf(object: Manifest | undefined): string {
  if (!object) return "";
  const served = listAt(recordAt(object, "status"), "conditions")
    .filter(isRecord)
    .map((condition) => `${textAt(condition, "type")}=${textAt(condition, "status")}`);
  const versions = listAt(recordAt(object, "spec"), "versions")
    .filter(isRecord)
    .map((version) => `${textAt(version, "name")}:${String(version.served)}`);
  return `${object.metadata.deletionTimestamp ?? ""} ${served.join()} ${versions.join()}`;
}
