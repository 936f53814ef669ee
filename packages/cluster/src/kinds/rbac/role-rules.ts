import { isObject, listAt, objectAt, sameJson, textAt } from "../../schema/json.ts";
import type { Cells } from "../../schema/tables/cells.ts";
import { pathSegmentName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import { validateSelector } from "../../schema/validation/selector.ts";
import type { KubeObject } from "../../types.ts";

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

const rbacGroup = "rbac.authorization.k8s.io";

const subjectKinds = ["ServiceAccount", "User", "Group"];

/** pkg/apis/rbac/validation ValidateRoleBinding; a ClusterRoleBinding binds ClusterRoles only. */
export function validateRoleBinding(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  const kinds = object.kind === "ClusterRoleBinding" ? ["ClusterRole"] : ["Role", "ClusterRole"];
  const role = objectAt(object, "roleRef");
  const group = textAt(role, "apiGroup");
  if (group !== rbacGroup) report.unsupported("roleRef.apiGroup", group, [rbacGroup]);
  const kind = textAt(role, "kind");
  if (!kinds.includes(kind)) report.unsupported("roleRef.kind", kind, kinds);
  const name = textAt(role, "name");
  report.named("roleRef.name", name, pathSegmentName);
  for (const [index, subject] of listAt(object, "subjects").entries())
    validateSubject(report, subject, { field: `subjects[${index}]`, binding: object.kind });
  if (!previous || sameJson(role, objectAt(previous, "roleRef"))) return;
  report.invalid("roleRef", { APIGroup: group, Kind: kind, Name: name }, "cannot change roleRef");
}

function validateSubject(
  report: Report,
  subject: unknown,
  { field, binding }: { field: string; binding: string },
): void {
  if (!textAt(subject, "name")) report.required(`${field}.name`);
  const kind = textAt(subject, "kind");
  const group = textAt(subject, "apiGroup");
  if (!subjectKinds.includes(kind)) {
    report.unsupported(`${field}.kind`, kind, subjectKinds);
    return;
  }
  const wanted = kind === "ServiceAccount" ? "" : rbacGroup;
  if (group !== wanted) report.unsupported(`${field}.apiGroup`, group, [wanted]);
  if (kind === "ServiceAccount" && binding === "ClusterRoleBinding" && !textAt(subject, "namespace"))
    report.required(`${field}.namespace`);
}

export function validateRole(report: Report, object: KubeObject): void {
  for (const [index, selector] of listAt(object, "aggregationRule", "clusterRoleSelectors").entries()) {
    const field = `aggregationRule.clusterRoleSelectors[${index}]`;
    if (isObject(selector) && !validateSelector(report, selector, field))
      report.invalid(field, null, "invalid label selector.");
  }
  const namespaced = object.kind === "Role";
  for (const [index, rule] of listAt(object, "rules").entries()) {
    const field = `rules[${index}]`;
    const urls = listAt(rule, "nonResourceURLs");
    const resources = [
      ...listAt(rule, "apiGroups"),
      ...listAt(rule, "resources"),
      ...listAt(rule, "resourceNames"),
    ];
    if (listAt(rule, "verbs").length === 0)
      report.required(`${field}.verbs`, "verbs must contain at least one value");
    if (urls.length > 0) {
      if (namespaced)
        report.invalid(
          `${field}.nonResourceURLs`,
          urls,
          "namespaced rules cannot apply to non-resource URLs",
        );
      if (resources.length > 0)
        report.invalid(
          `${field}.nonResourceURLs`,
          urls,
          "rules cannot apply to both regular resources and non-resource URLs",
        );
      continue;
    }
    if (listAt(rule, "apiGroups").length === 0)
      report.required(`${field}.apiGroups`, "resource rules must supply at least one api group");
    if (listAt(rule, "resources").length === 0)
      report.required(`${field}.resources`, "resource rules must supply at least one resource");
  }
}
