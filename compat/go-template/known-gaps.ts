export interface Answer {
  readonly output: string;
  readonly error?: string | undefined;
}

/** Why two answers may differ; nothing where they may not. */
export function gapOf(template: string, theirs: Answer, ours: Answer): string | undefined {
  if (ours.error?.includes("a map cannot hold itself"))
    return "a map within itself ends Go's program once it is printed";
  if (ours.error?.includes("makes more than")) return "limits of size";
  // Where its zone lies in the program's memory, and how the moment is kept.
  if (/printf/.test(template) && /toDate/.test(template) && /\{0 \d|%!\w\(uint64=/.test(theirs.output))
    return "a time's inner fields, by verbs that do not fit";
  return undefined;
}
