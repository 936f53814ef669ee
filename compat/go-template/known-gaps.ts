export interface Answer {
  readonly output: string;
  readonly error?: string | undefined;
}

/** Why two answers may differ; nothing where they may not. */
export function gapOf(ours: Answer): string | undefined {
  if (ours.error?.includes("a map cannot hold itself"))
    return "a map within itself ends Go's program once it is printed";
  if (ours.error?.includes("makes more than")) return "limits of size";
  // How the moment is kept, and where its zone lies in the program's memory.
  if (/%!\w\(time\.Time=/.test(ours.output)) return "a time's inner fields, by verbs that do not fit";
  // sprig's slice reaches behind the end of a list, into what Go has got ready for more.
  if (ours.error?.includes("slice index out of bounds")) return "a list's room beyond its end";
  return undefined;
}
