/** Everything after the first question mark. */
export function queryOf({ url }: { readonly url: string }): string {
  const mark = url.indexOf("?");
  return mark < 0 ? "" : url.slice(mark + 1);
}
