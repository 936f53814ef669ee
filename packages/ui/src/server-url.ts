/** Path below which the server is found, as the page's <base> says (--basehref); "" where it has its name alone. */
function basePath(): string {
  const base = typeof document === "undefined" ? undefined : document.querySelector("base")?.href;
  return base === undefined ? "" : new URL(base).pathname.replace(/\/+$/, "");
}

/** Where the browser finds a path of the server: "/argocd/api/version" of "/api/version". */
export function serverUrl(path: string): string {
  return basePath() + path;
}
