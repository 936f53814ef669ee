import { failed, type KrmFunction, type ResultItem } from "../function.ts";
import { annotationsOf, clearAnnotation, fileOf, identityOf } from "../item.ts";
import { dataOf, info, problem } from "./function-config.ts";

/** Removes the annotations that `annotationKeys` lists, parted by commas. */
export const deleteAnnotations: KrmFunction = (list) => {
  const given = dataOf(list.functionConfig).get("annotationKeys") ?? "";
  if (given === "") {
    const message = "annotationKeys was not provided as part of the config or paramters to the function";
    list.results = [problem(message)];
    return { ...failed, stderr: `failed to evaluate function: ${message}` };
  }
  const removed: ResultItem[] = [];
  const touched = new Set<string>();
  for (const item of list.items) {
    const { apiVersion, kind, name } = identityOf(item);
    if (apiVersion === "" || kind === "" || name === "") continue;
    for (const key of given.trim().split(",")) {
      if (!annotationsOf(item).has(key)) continue;
      clearAnnotation(item, key);
      touched.add([apiVersion, kind, name].join("\n"));
      const message = `Annonation: [${key}] removed from resource: [${name}]`;
      removed.push({ ...info(message), file: { path: fileOf(item).path } });
    }
  }
  list.results =
    removed.length > 0
      ? [info(`The provided annotations were deleted from ${touched.size} resource(s)`), ...removed]
      : [info("None of the resources had the provided annotations to delete")];
  return undefined;
};
