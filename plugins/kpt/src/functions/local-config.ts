import type { KrmFunction, ResultItem } from "../function.ts";
import { annotationOf, fileOf, identityOf, localConfig } from "../item.ts";
import { info, problem } from "./function-config.ts";

/** Takes out what is meant for functions, not for a cluster. */
export const removeLocalConfigResources: KrmFunction = (list) => {
  const removed: ResultItem[] = [];
  list.items = list.items.filter((item) => {
    if (annotationOf(item, localConfig).toLowerCase() !== "true") return true;
    removed.push({ ...info(`Resource name: [${identityOf(item).name}]`), file: { path: fileOf(item).path } });
    return false;
  });
  list.results =
    removed.length > 0
      ? [info(`Number of resources pruned: ${removed.length}`), ...removed]
      : [problem("Found no resources to prune with the local config annotation", "warning")];
  return undefined;
};
