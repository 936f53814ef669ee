/** A selector that cannot be read, in apimachinery's words. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
}
