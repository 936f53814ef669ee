export interface Answer {
  readonly value: string;
  readonly error?: string | undefined;
}

/** Why two answers may differ; nothing where they may not. */
export function gapOf(source: string, theirs: Answer, ours: Answer): string | undefined {
  if (/findLast(Index)?\(/.test(source))
    return "findLast and findLastIndex that find nothing leave the real one with what stood there before";
  if (theirs.error !== undefined && /mismatched types|\(type |invalid operation: operator/.test(theirs.error))
    return "what the real one refuses by types, though it would never be reached";
  if (ours.error?.includes("map is no array"))
    return "a map in place of an array, whose elements are never looked at";
  if (/^0x/.test(theirs.value)) return "a method that is not called is shown as an address";
  if (theirs.value.includes("ufffd") && /\[-?\d*:-?\d*\]/.test(source))
    return "a character cut in two stays so";
  return undefined;
}
