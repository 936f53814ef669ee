import type { Placed } from "./layout-tree.ts";

export type Direction = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

const middle = <N extends { height: number }>({ y, node }: Placed<N>) => y + node.height / 2;

/** Arrow keys follow edges: right to the first child, left to the owner, up and down within the column. */
export function walk<N extends { id: string; height: number }>(
  placed: readonly Placed<N>[],
  from: Placed<N>,
  direction: Direction,
): Placed<N> {
  if (direction === "ArrowLeft") return from.parent ?? from;
  if (direction === "ArrowRight") {
    const children = placed.filter(({ parent }) => parent === from);
    return nearest(children, middle(from)) ?? from;
  }
  const below = direction === "ArrowDown";
  const column = placed.filter(
    (other) => other.depth === from.depth && (below ? other.y > from.y : other.y < from.y),
  );
  return nearest(column, middle(from)) ?? from;
}

function nearest<N extends { height: number }>(
  candidates: readonly Placed<N>[],
  to: number,
): Placed<N> | undefined {
  let best: Placed<N> | undefined;
  for (const candidate of candidates) {
    if (!best || Math.abs(middle(candidate) - to) < Math.abs(middle(best) - to)) best = candidate;
  }
  return best;
}
