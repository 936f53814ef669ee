import { copyNode, itemsAt, type MappingNode, textAt } from "@capstan/krm-yaml";
import { groupOf } from "@capstan/model";
import type { KrmFunction, ResourceList } from "../function.ts";
import { annotate, annotationOf, clearAnnotation, type Item, identityOf, notes } from "../item.ts";

const targetPath = "config.kubernetes.io/target-path";
const functionMarks = ["config.kubernetes.io/function", "config.k8s.io/function"];

/** The configuration, or each item of a List, takes the place of the resource with its identity or joins the others. */
export const upsertResource: KrmFunction = (list) => {
  const { functionConfig: config } = list;
  if (!config) return { exitCode: 1, stderr: "failed to upsert resource: functionConfig is missing" };
  const isList = textAt(config, "kind") === "List";
  const wanted = isList ? itemsAt(config, "items").filter((node) => node.kind === "mapping") : [config];
  for (const root of wanted) upsert(list, root);
  return undefined;
};

function upsert(list: ResourceList, root: MappingNode): void {
  const given: Item = { root, head: "", foot: "" };
  const path = annotationOf(given, targetPath);
  let isFound = false;
  list.items = list.items.map((item) => {
    const isMarked = functionMarks.some((mark) => annotationOf(item, mark) !== "");
    const isPlace = path === "" || path === annotationOf(item, notes.path);
    if (isMarked || !isPlace || !isSame(given, item)) return item;
    isFound = true;
    const copy = cleaned(given);
    for (const note of [notes.path, notes.index]) annotate(copy, note, annotationOf(item, note));
    return copy;
  });
  if (isFound) return;
  const added = cleaned(given);
  clearAnnotation(added, notes.path);
  clearAnnotation(added, notes.index);
  if (path !== "") annotate(added, notes.path, path);
  list.items.push(added);
}

function cleaned({ root }: Item): Item {
  const copy: Item = { root: copyNode(root), head: "", foot: "" };
  for (const mark of [...functionMarks, targetPath]) clearAnnotation(copy, mark);
  return copy;
}

function isSame(one: Item, other: Item): boolean {
  const [left, right] = [identityOf(one), identityOf(other)];
  return (
    groupOf(left.apiVersion) === groupOf(right.apiVersion) &&
    left.kind === right.kind &&
    left.name === right.name &&
    left.namespace === right.namespace
  );
}
