const coefficients = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** The gamma function by Lanczos' approximation; of whole numbers the factorial itself. */
export function gamma(x: number): number {
  if (x === Number.NEGATIVE_INFINITY || (Number.isInteger(x) && x < 0)) return Number.NaN;
  if (x === 0) return 1 / x;
  if (Number.isInteger(x) && x < 172) return factorial(x - 1);
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  if (x > 171.7) return Number.POSITIVE_INFINITY;
  const [first = 0, ...rest] = coefficients;
  const sum = rest.reduce((total, coefficient, index) => total + coefficient / (x + index), first);
  const t = x + 6.5;
  return Math.sqrt(2 * Math.PI) * t ** ((x - 0.5) / 2) * Math.exp(-t) * t ** ((x - 0.5) / 2) * sum;
}

function factorial(n: number): number {
  let product = 1;
  for (let i = 2; i <= n; i++) product *= i;
  return product;
}
