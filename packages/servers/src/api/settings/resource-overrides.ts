import type { Settings } from "@capstan/kube";
import type { OutOf, Routes } from "@capstan/wire";

type Overrides = NonNullable<OutOf<Routes["getSettings"]>["resourceOverrides"]>;

/** What `argocd app diff --local` compares by, on the machine of whoever calls it; scripts stay here. */
export function resourceOverrides({
  ignoreDifferences,
  knownTypeFields,
}: Pick<Settings["general"], "ignoreDifferences" | "knownTypeFields">): Overrides {
  const overrides: Overrides = {};
  const of = (group: string, kind: string) => {
    const key = group === "" ? kind : `${group}/${kind}`;
    overrides[key] ??= {};
    return overrides[key];
  };
  for (const {
    group = "",
    kind,
    jsonPointers,
    jqPathExpressions,
    managedFieldsManagers,
  } of ignoreDifferences)
    of(group, kind).ignoreDifferences = JSON.stringify({
      jsonPointers,
      jqPathExpressions,
      managedFieldsManagers,
    });
  for (const { group, kind, field, type } of knownTypeFields) {
    const override = of(group, kind);
    override.knownTypeFields = [...(override.knownTypeFields ?? []), { field: field.join("."), type }];
  }
  return overrides;
}
