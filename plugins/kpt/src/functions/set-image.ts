import { fieldAt, itemsAt, type MappingNode, rewrite, textAt, type YamlNode } from "@capstan/krm-yaml";
import type { KrmFunction } from "../function.ts";
import { identityOf } from "../item.ts";
import { findFields, isSelected, readFieldSpecs } from "./field-specs.ts";
import { dataOf, info, isConfigMap, isFnKind, terminate } from "./function-config.ts";
import { changeImage, type ImageChange, readImageChange } from "./image-name.ts";
import { inLibraryOrder } from "./library-order.ts";

const templated = ["Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "PodTemplate"];

/** Changes name, tag or digest of an image wherever it runs. */
export const setImage: KrmFunction = inLibraryOrder((list) => {
  const { functionConfig: config } = list;
  if (!config) list.results.push(info("`FunctionConfig` is not given"));
  const change = readConfig(config);
  if (typeof change === "string") return terminate(list, change);
  let count = 0;
  const update = (node: YamlNode | undefined): void => {
    if (node?.kind !== "scalar") return;
    const changed = changeImage(node.value, change);
    if (changed === undefined || changed === node.value) return;
    rewrite(node, changed);
    count++;
  };
  const extra = config ? readFieldSpecs(config, "additionalImageFields") : [];
  for (const item of list.items) {
    const identity = identityOf(item);
    for (const container of containersOf(item.root, identity.kind)) update(fieldAt(container, "image"));
    for (const spec of extra)
      if (isSelected(identity, spec))
        for (const { node } of findFields(item.root, spec, "scalar"))
          for (const one of node.kind === "sequence" ? node.items : [node]) update(one);
  }
  list.results.push(info(`summary: updated a total of ${count} image(s)`));
  return undefined;
});

function readConfig(config: MappingNode | undefined): ImageChange | string {
  if (config && !isConfigMap(config) && !isFnKind(config, "SetImage"))
    return `unknown FunctionConfig \`${textAt(config, "kind")}\`, expect SetImage`;
  const isMap = config !== undefined && isConfigMap(config);
  if (isMap)
    for (const key of dataOf(config).keys())
      if (!["name", "newName", "newTag", "digest"].includes(key))
        return `ConfigMap has wrong field name ${key}`;
  const change = readImageChange(fieldAt(config, isMap ? "data" : "image"));
  if (change.name === "") return "must specify `name`";
  const isEmpty = change.newName === "" && change.newTag === "" && change.digest === "";
  return isEmpty ? "must specify one of `newName`, `newTag`, or `digest`" : change;
}

function containersOf(root: MappingNode, kind: string): YamlNode[] {
  const path =
    kind === "Pod" ? ["spec"] : templated.includes(kind) ? ["spec", "template", "spec"] : undefined;
  if (!path) return [];
  // The catalog's function looks for "iniContainers" and so leaves containers that run first as they are.
  return itemsAt(root, ...path, "containers");
}
