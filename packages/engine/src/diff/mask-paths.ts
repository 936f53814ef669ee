import { isRecord, stringifyJson } from "@capstan/formats";
import { annotationKeys, type Manifest } from "@capstan/model";
import { mask } from "./mask-secrets.ts";

/** From the root of an object; a number is a place in a list. */
export type ValuePath = readonly (string | number)[];

const maskStep = "++++";

interface Node {
  isSecret: boolean;
  readonly children: Map<string, Node>;
  /** Of this place, by value: equal values look equal. */
  readonly masks: Map<unknown, string>;
}

/**
 * Copies of the versions of one object that can be shown: what stands at the paths becomes a row of plus signs, as
 * the values of Secrets do. The first version is the one that the paths are of; beside a secret, what it does not
 * have is hidden in the others too, since it may be an earlier secret.
 */
export function maskPaths(
  paths: readonly ValuePath[] | undefined,
  ...versions: (Manifest | undefined)[]
): (Manifest | undefined)[] {
  if (paths === undefined || paths.length === 0) return versions;
  const root = treeOf(paths);
  const [first] = versions;
  return versions.map((version) => {
    if (version === undefined) return undefined;
    const shown = show(version, root, first);
    const { apiVersion, kind, metadata } = version;
    const masked = isRecord(shown) && isRecord(shown.metadata) ? shown.metadata : {};
    const { annotations } = metadata;
    const applied = annotations?.[annotationKeys.lastApplied];
    const hidden = isRecord(masked.annotations) ? masked.annotations : annotations;
    return {
      ...(isRecord(shown) ? shown : {}),
      apiVersion,
      kind,
      metadata:
        applied === undefined
          ? masked
          : { ...masked, annotations: { ...hidden, [annotationKeys.lastApplied]: mask } },
    } as Manifest;
  });
}

const newNode = (): Node => ({ isSecret: false, children: new Map(), masks: new Map() });

function treeOf(paths: readonly ValuePath[]): Node {
  const root = newNode();
  for (const path of paths) {
    let node = root;
    for (const step of path) {
      const next = node.children.get(String(step)) ?? newNode();
      node.children.set(String(step), next);
      node = next;
    }
    node.isSecret = true;
  }
  return root;
}

function show(value: unknown, node: Node | undefined, first: unknown): unknown {
  if (node === undefined) return value;
  if (node.isSecret) return maskOf(value, node);
  if (Array.isArray(value)) {
    const of = Array.isArray(first) ? first : [];
    return value.map((item, index) => show(item, node.children.get(String(index)), of[index]));
  }
  if (!isRecord(value)) return value;
  const of = isRecord(first) ? first : {};
  const isBeside = [...node.children.values()].some(({ isSecret }) => isSecret);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const child = node.children.get(name);
      if (child === undefined && isBeside && !(name in of) && typeof item !== "object") return [name, mask];
      return [name, show(item, child, of[name])];
    }),
  );
}

function maskOf(value: unknown, { masks }: Node): string {
  const known = typeof value === "object" ? stringifyJson(value) : value;
  const text = masks.get(known) ?? mask + maskStep.repeat(masks.size);
  masks.set(known, text);
  return text;
}
