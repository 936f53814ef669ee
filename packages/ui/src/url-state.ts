import { useRouter, useRouterState } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { readSearch, type Search, searchText } from "./paths.ts";

/** The search part of the address as flat texts. */
export function useSearch(): Readonly<Record<string, string>> {
  const text = useRouterState({ select: ({ location }) => location.searchStr });
  return useMemo(() => readSearch(text), [text]);
}

export function usePathname(): string {
  return useRouterState({ select: ({ location }) => location.pathname });
}

export interface MoveOptions {
  /** Keeps "back" for real steps: options of a view replace, opening something pushes. */
  readonly push?: boolean;
}

export type ChangeSearch = (patch: Search, options?: MoveOptions) => void;

/** Changes parts of the address and leaves the rest of it. */
export function useChangeSearch(): ChangeSearch {
  const { history } = useRouter();
  return useCallback(
    (patch, { push = false } = {}) => {
      const { pathname, search } = history.location;
      const href = pathname + searchText({ ...readSearch(search), ...patch });
      if (push) history.push(href);
      else history.replace(href);
    },
    [history],
  );
}

export function useGoTo(): (href: string, options?: { replace?: boolean }) => void {
  const { history } = useRouter();
  return useCallback(
    (href, { replace = false } = {}) => {
      if (replace) history.replace(href);
      else history.push(href);
    },
    [history],
  );
}

/** Address of the same page with parts of its search changed. */
export function useHrefWith(): (patch: Search) => string {
  const pathname = usePathname();
  const search = useSearch();
  return useCallback((patch) => pathname + searchText({ ...search, ...patch }), [pathname, search]);
}
