/** Resource versions count up (KEP-5504), as numbers of any length; what is no number comes before all. */
export function readVersion(text: string | undefined): bigint {
  return text !== undefined && /^\d+$/.test(text) ? BigInt(text) : 0n;
}

/** From where a stream goes on without a gap. */
export function newestVersion(
  items: readonly { metadata: { resourceVersion?: string | undefined } }[],
): string {
  let newest = 0n;
  for (const { metadata } of items) {
    const version = readVersion(metadata.resourceVersion);
    if (version > newest) newest = version;
  }
  return newest === 0n ? "" : String(newest);
}
