import { type RefObject, useEffect, useRef } from "react";

/** Of a line of tabs, which scrolls on a narrow screen: what is looked at is in it. */
export function useCurrentShown(current: string): RefObject<HTMLElement | null> {
  const line = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab, another place
  useEffect(() => {
    line.current
      ?.querySelector('[aria-current="page"]')
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current]);
  return line;
}
