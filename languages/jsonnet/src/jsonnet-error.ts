export interface Location {
  file: string;
  /** From 1. */
  line: number;
  column: number;
}

/** A mistake in a program or while it ran; `location` is where, as far as known. */
export class JsonnetError extends Error {
  override readonly name = "JsonnetError";
  readonly problem: string;
  readonly location: Location | undefined;

  constructor(problem: string, location?: Location) {
    super(location ? `${location.file}:${location.line}:${location.column}: ${problem}` : problem);
    this.problem = problem;
    this.location = location;
  }
}
