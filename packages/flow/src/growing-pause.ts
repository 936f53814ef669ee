interface Pauses {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** How long to wait in ms after so many failures in a row: twice as long after each; 0 after none. */
export function growingPause(failures: number, { firstMs, longestMs }: Pauses): number {
  return failures <= 0 ? 0 : Math.min(longestMs, firstMs * 2 ** (failures - 1));
}
