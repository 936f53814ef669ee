/** An expression that cannot be read, or has no value; `position` counts characters from 0. */
export class ExprError extends Error {
  override readonly name = "ExprError";
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(position === undefined ? message : `${message} (at character ${position + 1})`);
    this.position = position;
  }
}
