/** Go's filepath.Walk: a directory's files and directories together, by name. */
export function byWalkOrder(left: string, right: string): number {
  const order = (file: string) => file.replaceAll("/", "\0");
  return order(left) < order(right) ? -1 : 1;
}
