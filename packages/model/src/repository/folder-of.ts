/**
 * The folder of this machine that git would open for an address; undefined: it goes over the network. As git decides
 * (connect.c url_is_local_not_ssh): a colon before any slash makes HOST:PATH.
 */
export function folderOf(url: string): string | undefined {
  const text = url.trim();
  const file = /^file:\/\/(.*)$/is.exec(text)?.[1];
  if (file !== undefined) return decoded(file);
  const colon = text.indexOf(":");
  const slash = text.indexOf("/");
  return colon < 0 || (slash >= 0 && slash < colon) ? text : undefined;
}

/** Git decodes a URL once. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}
