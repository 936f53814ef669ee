import { createBrowserHistory, type RouterHistory } from "@tanstack/react-router";
import { serverUrl } from "./server-url.ts";

/** The browser's history, in which the page's own paths have no base: every link is written as if there were none. */
export function pageHistory(): RouterHistory {
  const { location, history } = window;
  const base = serverUrl("");
  const parseLocation = (): RouterHistory["location"] => {
    const { search, hash } = location;
    const isBelow = location.pathname === base || location.pathname.startsWith(`${base}/`);
    const pathname = (isBelow ? location.pathname.slice(base.length) : location.pathname) || "/";
    const state = history.state ?? { __TSR_index: 0 };
    return { href: pathname + search + hash, pathname, search, hash, state };
  };
  return createBrowserHistory({ createHref: (path) => base + path, parseLocation });
}
