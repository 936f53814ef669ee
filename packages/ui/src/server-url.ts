/** Path below which the server is found, as the page's <base> says (--basehref); "" where it has its name alone. */
function basePath(): string {
  const base = typeof document === "undefined" ? undefined : document.querySelector("base")?.href;
  return base === undefined ? "" : new URL(base).pathname.replace(/\/+$/, "");
}

/** Where the browser finds a path of the server: "/argocd/api/version" of "/api/version". */
export function serverUrl(path: string): string {
  return basePath() + path;
}

/** The address's path as the page's own links are written: without its base. */
export function pagePath(): string {
  const { pathname } = window.location;
  const base = basePath();
  const isBelow = pathname === base || pathname.startsWith(`${base}/`);
  return (isBelow ? pathname.slice(base.length) : pathname) || "/";
}
