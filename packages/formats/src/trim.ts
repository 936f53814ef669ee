/** Without any number of this one character at the end: linear, where `/x+$/` is quadratic in long runs. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

/** An address without the slashes at its end. */
export function withoutEndSlashes(address: string): string {
  return withoutTrailing(address, "/");
}
