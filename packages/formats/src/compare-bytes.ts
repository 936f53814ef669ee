const encoder = new TextEncoder();

/** In the order of their bytes as UTF-8, which is Go's; it differs from UTF-16's only where surrogates are. */
export function compareBytes(left: string, right: string): number {
  if (left === right) return 0;
  if (!/[\ud800-\udfff]/.test(left + right)) return left < right ? -1 : 1;
  const [one, other] = [encoder.encode(left), encoder.encode(right)];
  const at = one.findIndex((byte, index) => byte !== other[index]);
  return at < 0 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1);
}
