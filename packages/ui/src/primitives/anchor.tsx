import type { AnchorHTMLAttributes, MouseEvent, ReactNode, Ref } from "react";
import { serverUrl } from "../server-url.ts";
import { goTo } from "../url-state.ts";

interface Props extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string;
  replace?: boolean;
  children?: ReactNode;
  ref?: Ref<HTMLAnchorElement>;
}

/** A link inside the page: moves without a reload, and still opens in a new tab where people ask for that. */
export function Anchor({ href, replace = false, onClick, children, ...rest }: Props) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (event.defaultPrevented || elsewhere) return;
    event.preventDefault();
    goTo(href, { replace });
  };
  return (
    <a href={serverUrl(href)} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
