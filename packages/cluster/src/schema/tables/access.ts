import type { KubeObject } from "../../types.ts";
import { listAt, numberAt, objectAt, textAt } from "../json.ts";
import { printDuration } from "./age.ts";
import { type Cells, conditionOf, length, printSelector, text, textOr } from "./cells.ts";

function subjects(object: KubeObject, kind: string): string {
  return listAt(object, "subjects")
    .filter((subject) => textAt(subject, "kind") === kind)
    .map((subject) =>
      kind === "ServiceAccount" && textAt(subject, "namespace")
        ? `${textAt(subject, "namespace")}/${textAt(subject, "name")}`
        : textAt(subject, "name"),
    )
    .join(", ");
}

export const roleBindingCells: Cells = {
  Role: (object) => `${textAt(object, "roleRef", "kind")}/${textAt(object, "roleRef", "name")}`,
  Users: (object) => subjects(object, "User"),
  Groups: (object) => subjects(object, "Group"),
  ServiceAccounts: (object) => subjects(object, "ServiceAccount"),
};

export const signingRequestCells: Cells = {
  SignerName: textOr("<none>", "spec", "signerName"),
  Requestor: text("spec", "username"),
  RequestedDuration(object) {
    const seconds = numberAt(object, "spec", "expirationSeconds");
    return seconds === undefined ? "<none>" : printDuration(seconds * 1000);
  },
  Condition(object) {
    const verdict = ["Denied", "Approved"].find((type) => conditionOf(object, type)) ?? "Pending";
    const failed = conditionOf(object, "Failed") ? ",Failed" : "";
    return `${verdict}${failed}${textAt(object, "status", "certificate") ? ",Issued" : ""}`;
  },
};

export const webhookCells: Cells = { Webhooks: length("webhooks") };

function paramKind(object: KubeObject): string {
  const kind = objectAt(object, "spec", "paramKind");
  return kind ? `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}` : "<unset>";
}

export const admissionPolicyCells: Cells = {
  Validations: length("spec", "validations"),
  Mutations: length("spec", "mutations"),
  ParamKind: paramKind,
};

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
