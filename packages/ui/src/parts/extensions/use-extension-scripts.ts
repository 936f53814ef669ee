import { useEffect } from "react";
import { useSettings } from "../../queries/session.ts";
import { tellFailure } from "../notices.tsx";

/** Loads them where the operator has some: nothing of it comes with a page that has none. */
export function useExtensionScripts(): void {
  const hasSome = useSettings().data?.pageExtensions === true;
  useEffect(() => {
    if (!hasSome) return;
    import("./load-scripts.ts").then(
      ({ loadScripts }) => loadScripts(),
      (failure: unknown) => tellFailure("The extensions of this page could not be loaded", failure),
    );
  }, [hasSome]);
}
