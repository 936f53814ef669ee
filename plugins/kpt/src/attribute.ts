import { annotateQuoted, annotationOf, type Item, identityOf } from "./item.ts";

const annotation = "cnrm.cloud.google.com/blueprint";

/** Notes on Config Connector's resources that kpt's functions made them, as kpt does unless told not to. */
export function attribute(items: readonly Item[], env: Readonly<Record<string, string | undefined>>): void {
  if (env.KRM_DISABLE_ATTRIBUTION) return;
  for (const item of items)
    if (identityOf(item).apiVersion.includes(".cnrm."))
      annotateQuoted(item, annotation, withFn(annotationOf(item, annotation)));
}

function withFn(value: string): string {
  if (value === "") return "krm-fn";
  if (!value.includes("krm-")) return `${value},krm-fn`;
  const groups = ["pkg", "fn", "live"];
  return value
    .split(",")
    .map((part) =>
      part.includes("krm")
        ? ["krm", ...groups.filter((group) => group === "fn" || part.includes(group))].join("-")
        : part,
    )
    .join(",");
}
