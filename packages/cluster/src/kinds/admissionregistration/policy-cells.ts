import { objectAt, textAt } from "../../schema/json.ts";
import { type Cells, printSelector, text } from "../../schema/tables/cells.ts";
import type { KubeObject } from "../../types.ts";

export function paramKind(object: KubeObject): string {
  const kind = objectAt(object, "spec", "paramKind");
  return kind ? `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}` : "<unset>";
}

export const admissionPolicyBindingCells: Cells = {
  PolicyName: text("spec", "policyName"),
  ParamRef(object) {
    const reference = objectAt(object, "spec", "paramRef");
    if (!reference) return "<unset>";
    const name = textAt(reference, "name");
    if (name) return `${textAt(reference, "namespace") || "*"}/${name}`;
    const chosen = objectAt(reference, "selector");
    return chosen ? printSelector(chosen) : "<unset>";
  },
};
