import {
  entryOf,
  isNull,
  itemsAt,
  type MappingNode,
  mapping,
  scalar,
  text,
  textAt,
  type YamlNode,
} from "@capstan/krm-yaml";
import { groupOf, versionOf } from "@capstan/model";
import type { Identity } from "../item.ts";

/** Which fields of which kinds, as kustomize describes it (api/types/fieldspec.go); empty parts match all. */
export interface FieldSpec {
  group: string;
  version: string;
  kind: string;
  path: string;
  create: boolean;
}

export function fieldSpec(
  path: string,
  kind = "",
  { group = "", version = "", create = false } = {},
): FieldSpec {
  return { group, version, kind, path, create };
}

export function readFieldSpecs(config: YamlNode, field: string): FieldSpec[] {
  return itemsAt(config, field).map((one) => ({
    group: textAt(one, "group"),
    version: textAt(one, "version"),
    kind: textAt(one, "kind"),
    path: textAt(one, "path"),
    create: textAt(one, "create") === "true",
  }));
}

export function isSelected(
  { apiVersion, kind }: Pick<Identity, "apiVersion" | "kind">,
  spec: FieldSpec,
): boolean {
  if (spec.group !== "" && spec.group !== groupOf(apiVersion)) return false;
  if (spec.version !== "" && spec.version !== versionOf(apiVersion)) return false;
  return spec.kind === "" || spec.kind === kind;
}

/** Names on the way to a field; "\/" is a slash within a name. */
export function pathNames(path: string): string[] {
  return path.split(/(?<!\\)\//).map((name) => name.replaceAll("\\/", "/").replace(/\[\]$/, ""));
}

export interface FoundField {
  /** Where it is: a.b.c */
  path: string;
  node: YamlNode;
  replace(node: YamlNode): void;
}

/** The fields that a path leads to, through every item of lists on the way; with `create` missing ones are made. */
export function findFields(root: MappingNode, spec: FieldSpec, leaf: "mapping" | "scalar"): FoundField[] {
  const names = pathNames(spec.path);
  const found: FoundField[] = [];
  const descend = (node: YamlNode, at: number): void => {
    if (node.kind === "sequence") {
      for (const item of node.items) descend(item, at);
      return;
    }
    const name = names[at];
    if (node.kind !== "mapping" || name === undefined) return;
    let entry = entryOf(node, name);
    if (!entry || isNull(entry.value)) {
      if (!spec.create) return;
      const value = at === names.length - 1 && leaf === "scalar" ? scalar("") : mapping();
      if (entry) entry.value = value;
      else {
        entry = { key: text(name), value };
        node.entries.push(entry);
      }
    }
    const target = entry;
    if (at < names.length - 1) descend(target.value, at + 1);
    else
      found.push({
        path: names.join("."),
        node: target.value,
        replace: (value) => {
          target.value = value;
        },
      });
  };
  descend(root, 0);
  return found;
}
