import { dirname } from "node:path";

/** Who imports whom, files or folders by path. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** Tarjan's strongly connected components; those with more than one member are cycles. */
export function cycles(graph: Graph): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node) ?? 0);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) found.push(component);
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}

/**
 * Folders that import each other, at every depth: an import joins the two that stand side by side where its paths part,
 * and a file that lies there itself counts as one. Cycles of such files alone are the files' own matter.
 */
export function folderCycles(files: Graph): string[][] {
  const folders = new Map<string, string[]>();
  for (const [from, targets] of files)
    for (const to of targets) {
      const [a, b] = whereTheyPart(from, to);
      folders.set(a, [...(folders.get(a) ?? []), b]);
    }
  return cycles(folders).filter((cycle) => !cycle.every((node) => files.has(node)));
}

function whereTheyPart(from: string, to: string): [string, string] {
  const [a, b] = [from.split("/"), to.split("/")];
  const at = a.findIndex((part, i) => part !== b[i]);
  return [a.slice(0, at + 1).join("/"), b.slice(0, at + 1).join("/")];
}

/** The folder that holds a cycle's members. */
export const placeOf = ([first = ""]: readonly string[]): string => dirname(first);
