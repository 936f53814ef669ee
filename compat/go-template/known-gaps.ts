export interface Answer {
  readonly output: string;
  readonly error?: string | undefined;
}

/** Why two answers may differ; nothing where they may not. */
export function gapOf(template: string, theirs: Answer, ours: Answer): string | undefined {
  if (ours.error?.includes("a map cannot hold itself"))
    return "a map within itself ends Go's program once it is printed";
  if (ours.error?.includes("makes more than")) return "limits of size";
  const joined = (text: string): string => text.replace(/\ufffd+/g, "\ufffd");
  if (joined(theirs.output) === joined(ours.output))
    return "a character cut in two is one that cannot be read, not one for each byte";
  if (/%[^ %]*#/.test(template)) return "the flag # of verbs that do not fit their value";
  if (/printf/.test(template) && /toDate/.test(template))
    return "a time's inner fields, by verbs that do not fit";
  if (/b32dec/.test(template) && /base32 data at/.test(theirs.output)) return "where base32 goes wrong";
  return undefined;
}
