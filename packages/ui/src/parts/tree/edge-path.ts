export interface Point {
  readonly x: number;
  readonly y: number;
}

const bend = 6;

/** Out to the right, along a shared trunk in the middle of the gap, and in from the left. */
export function edgePath(from: Point, to: Point): string {
  const trunk = from.x + (to.x - from.x) / 2;
  const fall = to.y - from.y;
  if (Math.abs(fall) < 1) return `M${from.x} ${from.y}H${to.x}`;
  const radius = Math.min(bend, Math.abs(fall) / 2);
  const down = Math.sign(fall) * radius;
  return (
    `M${from.x} ${from.y}H${trunk - radius}Q${trunk} ${from.y} ${trunk} ${from.y + down}` +
    `V${to.y - down}Q${trunk} ${to.y} ${trunk + radius} ${to.y}H${to.x}`
  );
}
