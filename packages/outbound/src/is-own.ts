/** Scheme, host and port agree; the same host over TLS is as good as without. */
export function isOwn(target: URL, own: URL): boolean {
  if (target.origin === own.origin) return true;
  const isUpgrade = own.protocol === "http:" && target.protocol === "https:";
  return isUpgrade && own.port === "" && target.port === "" && target.hostname === own.hostname;
}
