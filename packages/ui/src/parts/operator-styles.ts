import { useEffect } from "react";
import { useSettings } from "../queries/session.ts";

/** The operator's own styles, over ours (ui.cssurl). */
export function useOperatorStyles(): void {
  const address = useSettings().data?.uiCssURL;
  useEffect(() => {
    if (!address) return;
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = address;
    document.head.append(link);
    return () => link.remove();
  }, [address]);
}
