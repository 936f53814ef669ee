import { dump } from "js-yaml";
import { dumpSchema } from "./yaml-schema.ts";

export { goSchema } from "./yaml-schema.ts";

/** Text as sigs.k8s.io/yaml prints it: sorted keys, lists at their key's indent, long lines unbroken. */
export function dumpYaml(value: unknown): string {
  return dump(value, {
    schema: dumpSchema,
    sortKeys: true,
    noRefs: true,
    lineWidth: -1,
    noArrayIndent: true,
    skipInvalid: true,
    quotingType: '"',
  });
}
