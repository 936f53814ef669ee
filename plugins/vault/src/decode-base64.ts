interface Decoded {
  /** What came before the first mistake, in whole groups of four. */
  bytes: Buffer;
  isBase64: boolean;
}

/** Go's base64.StdEncoding: line breaks count for nothing, padding is needed, bits left over at the end are not looked at. */
export function decodeBase64(text: string): Decoded {
  const bare = text.replace(/[\r\n]/g, "");
  const alphabet = /^[A-Za-z0-9+/]*/.exec(bare)?.[0].length ?? 0;
  const groups = alphabet - (alphabet % 4);
  const padded = /^[A-Za-z0-9+/]{2}[A-Za-z0-9+/=]=/.exec(bare.slice(groups, groups + 4))?.[0].length ?? 0;
  const end = groups + padded;
  return { bytes: Buffer.from(bare.slice(0, end), "base64"), isBase64: end === bare.length };
}
