/** What the person typed is wrong. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
