/** Texts cut by bytes, as Go cuts strings; what is no UTF-8 then is U+FFFD. */

export const byteLength = (text: string): number => Buffer.byteLength(text);

/** `text[from:to]`; throws as Go where that is out of range. */
export function cutBytes(text: string, from: number, to = byteLength(text)): string {
  const bytes = Buffer.from(text);
  if (to < 0 || to > bytes.length)
    throw new RangeError(
      `runtime error: slice bounds out of range [:${to}]${to < 0 ? "" : ` with length ${bytes.length}`}`,
    );
  if (from < 0 || from > to)
    throw new RangeError(`runtime error: slice bounds out of range [${from}:${from < 0 ? "" : to}]`);
  return bytes.toString("utf8", from, to);
}
