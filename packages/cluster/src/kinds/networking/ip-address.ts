import { goValue } from "../../schema/go-value.ts";
import { type JsonObject, objectAt, sameJson, textAt } from "../../schema/json.ts";
import { address, pathSegmentName, subdomainName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const ipAddress: Kind = {
  group: "networking.k8s.io",
  resource: "ipaddresses",
  nameSyntax: address,
  validate: validateIpAddress,
  cells: {
    ParentRef(object) {
      const parent = objectAt(object, "spec", "parentRef");
      if (!parent) return "<none>";
      const group = textAt(parent, "group");
      const resource = `${textAt(parent, "resource")}${group ? `.${group}` : ""}`.toLowerCase();
      return [resource, textAt(parent, "namespace"), textAt(parent, "name")].filter(Boolean).join("/");
    },
  },
  // printers/internalversion printIPAddress adds an age that no column is declared for
  undeclaredCells: ["Age"],
};

/** pkg/apis/networking/validation ValidateIPAddress and ValidateIPAddressUpdate */
function validateIpAddress(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const parent = objectAt(object, "spec", "parentRef");
  const field = "spec.parentRef";
  const [now, before] = [parent, objectAt(previous, "spec", "parentRef")].map((reference) =>
    goValue("*networking.ParentReference", reference),
  );
  report.settle("spec");
  if (parent) validateParent(report, parent, { field, isNew: previous === undefined });
  else report.required(field);
  if (previous && !sameJson(now, before)) report.invalid(field, now, "field is immutable");
}

function validateParent(
  report: Report,
  parent: JsonObject,
  { field, isNew }: { field: string; isNew: boolean },
): void {
  const group = textAt(parent, "group");
  if (group && isNew) report.syntax(`${field}.group`, group, subdomainName(group));
  for (const name of ["resource", "name", "namespace"]) {
    const value = textAt(parent, name);
    if (!value && name !== "namespace") report.required(`${field}.${name}`);
    else if (isNew) report.syntax(`${field}.${name}`, value, pathSegmentName(value));
  }
}
