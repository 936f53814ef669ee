const factors: Record<string, number> = {
  "": 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A Kubernetes quantity as a number, near enough to compare sizes; NaN when it is none. */
export function quantity(text: string): number {
  const found = /^([+-]?\d*\.?\d+(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(text);
  return Number(found?.[1]) * (factors[found?.[2] ?? ""] ?? Number.NaN);
}
