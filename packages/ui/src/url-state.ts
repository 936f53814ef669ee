import { useCallback, useMemo } from "react";
import { navigate, useLocationProperty } from "wouter/use-browser-location";
import { readSearch, type Search, searchText } from "./paths.ts";
import { pagePath, serverUrl } from "./server-url.ts";

/** The search part of the address as flat texts. */
export function useSearch(): Readonly<Record<string, string>> {
  const text = useLocationProperty(() => window.location.search);
  return useMemo(() => readSearch(text), [text]);
}

export function usePathname(): string {
  return useLocationProperty(pagePath);
}

/** Where the page is, as its own links are written. */
export function pageHref(): string {
  return pagePath() + window.location.search;
}

/** Another page, without a reload. */
export function goTo(href: string, { replace = false } = {}): void {
  navigate(serverUrl(href), { replace });
}

export interface MoveOptions {
  /** Keeps "back" for real steps: options of a view replace, opening something pushes. */
  readonly push?: boolean;
}

/** Changes parts of the address and leaves the rest of it. */
export function changeSearch(patch: Search, { push = false }: MoveOptions = {}): void {
  const search = { ...readSearch(window.location.search), ...patch };
  goTo(pagePath() + searchText(search), { replace: !push });
}

/** Address of the same page with parts of its search changed. */
export function useHrefWith(): (patch: Search) => string {
  const pathname = usePathname();
  const search = useSearch();
  return useCallback((patch) => pathname + searchText({ ...search, ...patch }), [pathname, search]);
}
