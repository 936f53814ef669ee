/** A mistake in a script, or what `fail` said. The message reads as go.starlark.net's. */
export class StarlarkError extends Error {
  override readonly name = "StarlarkError";
  /** Where it happened, outermost call first: `name:line:column: in function`. Empty before the script ran. */
  readonly trace: readonly string[];
  /** What the script printed until then, a line for each `print`. */
  readonly printed: string;

  constructor(
    message: string,
    { trace = [], printed = "" }: { trace?: readonly string[]; printed?: string } = {},
  ) {
    super(message);
    this.trace = trace;
    this.printed = printed;
  }
}
