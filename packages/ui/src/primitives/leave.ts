import { type RefObject, useEffect } from "react";

/** Calls `leave` when people press somewhere else while something is open. */
export function useLeave(root: RefObject<HTMLElement | null>, open: boolean, leave: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `leave` only sets a state
  useEffect(() => {
    if (!open) return;
    const onPointer = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) leave();
    };
    document.addEventListener("pointerdown", onPointer);
    return () => document.removeEventListener("pointerdown", onPointer);
  }, [open, root]);
}
