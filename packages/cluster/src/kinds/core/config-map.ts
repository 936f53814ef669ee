import { isObject, objectAt } from "../../schema/json.ts";
import { sizeOf } from "../../schema/tables/cells.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";
import { largest, validateImmutable, validateKeys } from "./data-keys.ts";

export const configMap: Kind = {
  group: "",
  resource: "configmaps",
  validate: validateConfigMap,
  cells: {
    Data: (object) => sizeOf(object.data) + sizeOf(object.binaryData),
  },
};

function validateConfigMap(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const binary = objectAt(object, "binaryData") ?? {};
  validateImmutable(report, object, { previous, fields: ["data", "binaryData"] });
  let size = validateKeys(report, object.data, "data");
  for (const key of Object.keys(isObject(object.data) ? object.data : {}))
    if (Object.hasOwn(binary, key))
      report.invalid(`data[${key}]`, key, "duplicate of key present in binaryData");
  size += validateKeys(report, binary, "binaryData");
  if (size > largest) report.tooLong("", `may not be more than ${largest} bytes`);
}
