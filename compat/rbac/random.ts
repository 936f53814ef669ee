/** Numbers of a seed: the same seed, the same run (mulberry32). */
export interface Random {
  /** From 0 up to but not including 1. */
  next(): number;
  /** Whole, from 0 up to but not including `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(of: readonly [T, ...T[]]): T;
  /** Between `least` and `most` of what `make` gives. */
  several<T>(least: number, most: number, make: () => T): T[];
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (of) => of[below(of.length)] ?? of[0],
    several: (least, most, make) => Array.from({ length: least + below(most - least + 1) }, make),
  };
}
