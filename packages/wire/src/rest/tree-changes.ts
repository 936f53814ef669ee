import type { ApplicationTree, ResourceNode } from "@capstan/model";

/** Of one list of a tree: nodes that are new or others now, and the keys of those that are there no more. */
interface ListChange {
  readonly changed: readonly ResourceNode[];
  readonly gone: readonly string[];
}

/** First the whole, then what has become otherwise. Ours alone: Argo CD sends the whole tree each time. */
export interface TreeChange {
  readonly tree?: ApplicationTree;
  readonly nodes?: ListChange;
  readonly orphanedNodes?: ListChange;
  readonly hosts?: NonNullable<ApplicationTree["hosts"]>;
}

const lists = ["nodes", "orphanedNodes"] as const;

const keyOf = ({ group = "", kind, namespace = "", name }: ResourceNode) =>
  [group, kind, namespace, name].join("/");

/** A tree as it was sent: the text of each node by its key. */
interface Sent {
  readonly lists: Readonly<Record<(typeof lists)[number], ReadonlyMap<string, string>>>;
  readonly hosts: string;
}

/** One tree goes to all who watch it. */
const texts = new WeakMap<ApplicationTree, Sent>();

function sentOf(tree: ApplicationTree): Sent {
  const known = texts.get(tree);
  if (known) return known;
  const textsOf = (nodes: readonly ResourceNode[] = []) =>
    new Map(nodes.map((node) => [keyOf(node), JSON.stringify(node)]));
  const sent = {
    lists: { nodes: textsOf(tree.nodes), orphanedNodes: textsOf(tree.orphanedNodes) },
    hosts: JSON.stringify(tree.hosts ?? []),
  };
  texts.set(tree, sent);
  return sent;
}

/** What is told of each tree to one who has been told of those before; nothing where there is nothing. */
export async function* treeChanges(trees: AsyncIterable<ApplicationTree>): AsyncGenerator<TreeChange> {
  let before: Sent | undefined;
  for await (const tree of trees) {
    const now = sentOf(tree);
    const change = before === undefined ? { tree } : changeBetween(before, now, tree);
    before = now;
    if (Object.keys(change).length > 0) yield change;
  }
}

function changeBetween(before: Sent, now: Sent, tree: ApplicationTree): TreeChange {
  const changes = lists.map((list) => {
    const [old, next] = [before.lists[list], now.lists[list]];
    const changed = (tree[list] ?? []).filter((node) => {
      const key = keyOf(node);
      return old.get(key) !== next.get(key);
    });
    const gone = [...old.keys()].filter((key) => !next.has(key));
    return changed.length + gone.length > 0 ? [[list, { changed, gone }] as const] : [];
  });
  return {
    ...Object.fromEntries(changes.flat()),
    ...(before.hosts === now.hosts ? {} : { hosts: tree.hosts ?? [] }),
  };
}

const byKeys = new WeakMap<readonly ResourceNode[], Map<string, ResourceNode>>();

/** Made once: it goes on to the list that follows this one. */
function byKeyOf(nodes: readonly ResourceNode[]): Map<string, ResourceNode> {
  const known = byKeys.get(nodes);
  byKeys.delete(nodes);
  return known ?? new Map(nodes.map((node) => [keyOf(node), node]));
}

/** The tree after a change; nodes that stay the same are the same objects. */
export function withTreeChange(before: ApplicationTree | undefined, change: TreeChange): ApplicationTree {
  const tree = change.tree ?? before ?? {};
  const next = { ...tree };
  for (const list of lists) {
    const { changed = [], gone = [] } = change[list] ?? {};
    if (changed.length + gone.length === 0) continue;
    const nodes = byKeyOf(tree[list] ?? []);
    for (const key of gone) nodes.delete(key);
    for (const node of changed) nodes.set(keyOf(node), node);
    const following = [...nodes.values()];
    byKeys.set(following, nodes);
    next[list] = following;
  }
  if (change.hosts) next.hosts = change.hosts;
  return next;
}
