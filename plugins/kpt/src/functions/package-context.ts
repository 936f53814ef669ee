import { mapping, text } from "@capstan/krm-yaml";
import { groupOf } from "@capstan/model";
import type { KrmFunction } from "../function.ts";
import { annotate, fileOf, type Item, identityOf, localConfig, placeAt } from "../item.ts";

export const contextName = "kptfile.kpt.dev";
const file = "package-context.yaml";

/** Writes the package's name where functions that take it by default find it (kpt pkg/lib/builtins). */
export const generatePackageContext: KrmFunction = (list) => {
  const kept = list.items.filter((item) => !isContext(item));
  const kptfile = kept.find((item) => {
    const { apiVersion, kind } = identityOf(item);
    return groupOf(apiVersion) === "kpt.dev" && kind === "Kptfile" && fileOf(item).path === "Kptfile";
  });
  list.items = kptfile ? [...kept, contextOf(identityOf(kptfile).name)] : kept;
  list.results = kptfile
    ? [{ message: "generated package context", severity: "info", file: { path: file } }]
    : [];
  return undefined;
};

export function isContext(item: Item): boolean {
  const { apiVersion, kind, name } = identityOf(item);
  return apiVersion === "v1" && kind === "ConfigMap" && name === contextName;
}

function contextOf(name: string): Item {
  const root = mapping([
    { key: text("apiVersion"), value: text("v1") },
    { key: text("kind"), value: text("ConfigMap") },
    { key: text("metadata"), value: mapping([{ key: text("name"), value: text(contextName) }]) },
    { key: text("data"), value: mapping([{ key: text("name"), value: text(name) }]) },
  ]);
  const item: Item = { root, head: "", foot: "" };
  annotate(item, localConfig, "true");
  placeAt(item, file);
  return item;
}
