/** JWE has five parts, a signed token three. */
export function isSealed(text: string): boolean {
  return text.split(".").length === 5;
}
