import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Leaf, Plain } from "./encrypted-file.ts";

type Comments = readonly string[][];
/** What a scalar is; undefined: null, which SOPS leaves alone. */
export type ReadScalar = (node: Scalar) => Plain | undefined;

interface Place {
  path: readonly string[];
  comments: Comments;
}

/**
 * Values and comments of a mapping in the order in which SOPS counts them (sops.go walkBranch, stores/yaml):
 * the comments before and beside a value come before it.
 */
export function* leavesOfMap(map: YAMLMap, place: Place, read: ReadScalar): Generator<Leaf> {
  const [active, inner] = enter(place);
  yield* commentLeaves(map, "commentBefore", inner);
  for (const pair of map.items) {
    yield* leavesOfPair(pair, inner, read);
    active.length = 0;
  }
  yield* commentLeaves(map, "comment", inner);
}

function* leavesOfPair({ key, value }: Pair, inner: Place, read: ReadScalar): Generator<Leaf> {
  if (!isScalar(key)) throw new TypeError("a key is no text");
  yield* commentLeaves(key, "commentBefore", inner);
  yield* commentLeaves(key, "comment", inner);
  const at = { ...inner, path: [...inner.path, String(key.value)] };
  if (isScalar(value)) {
    yield* commentLeaves(value, "commentBefore", inner);
    yield* commentLeaves(value, "comment", inner);
    yield* leafOf(value, at, read);
  } else yield* leavesOfNode(value, at, read);
}

function* leavesOfSeq(seq: YAMLSeq, place: Place, read: ReadScalar): Generator<Leaf> {
  const [active, inner] = enter(place);
  yield* commentLeaves(seq, "commentBefore", inner);
  for (const item of seq.items) {
    if (isScalar(item)) {
      yield* commentLeaves(item, "commentBefore", inner);
      yield* commentLeaves(item, "comment", inner);
      yield* leafOf(item, inner, read);
    } else yield* leavesOfNode(item, inner, read);
    active.length = 0;
  }
  yield* commentLeaves(seq, "comment", inner);
  restoreComments(seq);
}

/** sops makes an encrypted comment of a list an item of it: what was decrypted to one is one again. */
function restoreComments(seq: YAMLSeq): void {
  let waiting: string[] = [];
  const items: unknown[] = [];
  for (const item of seq.items) {
    if (isScalar(item) && decryptedComments.has(item)) {
      waiting.push(String(item.value));
      continue;
    }
    if (waiting.length > 0 && isNode(item))
      item.commentBefore = [...waiting, ...(item.commentBefore ? [item.commentBefore] : [])].join("\n");
    waiting = [];
    items.push(item);
  }
  if (waiting.length > 0) seq.comment = [...waiting, ...(seq.comment ? [seq.comment] : [])].join("\n");
  seq.items = items;
}

const decryptedComments = new WeakSet<Scalar>();

function* leavesOfNode(node: unknown, place: Place, read: ReadScalar): Generator<Leaf> {
  if (isMap(node)) yield* leavesOfMap(node, place, read);
  else if (isSeq(node)) yield* leavesOfSeq(node, place, read);
  else if (isScalar(node)) yield* leafOf(node, place, read);
  else if (node !== null && !isPair(node))
    throw new TypeError("anchors and aliases are not what sops writes");
}

function enter({ path, comments }: Place): [string[], Place] {
  const active: string[] = [];
  return [active, { path, comments: [...comments, active] }];
}

function* leafOf(node: Scalar, { path, comments }: Place, read: ReadScalar): Generator<Leaf> {
  const value = read(node);
  if (value) yield { path, comments, value, replace: (plain) => setScalar(node, plain) };
}

function setScalar(node: Scalar, { type, bytes }: Plain): void {
  const text = bytes.toString();
  node.value = type === "bool" ? text.toLowerCase() : text;
  delete node.source;
  delete node.tag;
  if (type === "comment") decryptedComments.add(node);
  const isText = type === "str" || type === "bytes";
  if (!isText) node.type = Scalar.PLAIN;
  else node.type = text.includes("\n") ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE;
}

/** One leaf a line; what replaces it goes back into the text. */
export function* commentLeaves(
  node: Pick<Node, "comment" | "commentBefore">,
  where: "comment" | "commentBefore",
  { path, comments }: Place,
): Generator<Leaf> {
  const text = node[where];
  if (!text) return;
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    comments.at(-1)?.push(line);
    const replace = ({ bytes }: Plain) => {
      lines[index] = bytes.toString();
      node[where] = lines.join("\n");
    };
    yield { path, comments, value: { type: "comment", bytes: Buffer.from(line) }, replace };
  }
}
