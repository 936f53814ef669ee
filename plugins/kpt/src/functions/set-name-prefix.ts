import { setText, textAt } from "@capstan/krm-yaml";
import { groupOf } from "@capstan/model";
import type { KrmFunction } from "../function.ts";
import { type Item, identityOf, isLocalConfig } from "../item.ts";
import { aboutConfig, dataOf, isConfigMap } from "./function-config.ts";
import { isNamespaced } from "./kube-scope.ts";
import { inLibraryOrder } from "./library-order.ts";
import { type Renamed, updateReferences } from "./name-references.ts";
import { isContext } from "./package-context.ts";

/** Replaces the placeholder at the head of names by a prefix, by default the package's own name. */
export const setNamePrefix: KrmFunction = inLibraryOrder((list) => {
  const { functionConfig: config } = list;
  if (config && !isConfigMap(config)) {
    list.results = [aboutConfig("functionConfig error: unknown functionConfig Kind /, Kind=", config)];
    return undefined;
  }
  const data = dataOf(config);
  const context = list.items.find(isContext);
  const prefix = data.get("prefix") ?? textAt(context?.root, "data", "name");
  const former = data.get("oldPrefix") ?? "packagename";
  if (prefix === "")
    return { exitCode: 1, stderr: "failed to evaluate function: `data.prefix` should not be empty" };
  const renamed: Renamed[] = [];
  for (const item of list.items) {
    const { apiVersion, kind, namespace, name } = identityOf(item);
    const rest = name === former ? "" : name.startsWith(`${former}-`) ? name.slice(former.length) : undefined;
    if (rest === undefined || isLocalConfig(item) || isInventory(item)) continue;
    setText(item.root, ["metadata", "name"], prefix + rest);
    renamed.push({
      group: groupOf(apiVersion),
      kind,
      namespace,
      isNamespaced: isNamespaced(item),
      from: name,
      to: prefix + rest,
    });
  }
  updateReferences(list.items, renamed);
  return undefined;
});

function isInventory(item: Item): boolean {
  const { apiVersion, kind } = identityOf(item);
  return groupOf(apiVersion) === "kpt.dev" && kind === "ResourceGroup";
}
