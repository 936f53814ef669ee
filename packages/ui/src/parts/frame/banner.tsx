import { useState } from "react";
import { Button } from "../../primitives/button.tsx";
import { useSettings } from "../../queries/session.ts";

const storageKey = "capstan.banner";

/** What the operator tells everybody (ui.bannercontent); put away until it says something else, unless it must stay. */
export function Banner({ place }: { place: "top" | "bottom" }) {
  const settings = useSettings().data;
  const [away, setAway] = useState(() => localStorage.getItem(storageKey));
  const { uiBannerContent: text, uiBannerURL: url, uiBannerPermanent = false } = settings ?? {};
  const { uiBannerPosition: wanted = "top" } = settings ?? {};
  const isHere = wanted === "both" || wanted === place || (place === "top" && wanted !== "bottom");
  if (!text || !isHere || (!uiBannerPermanent && away === text)) return null;
  const putAway = () => {
    localStorage.setItem(storageKey, text);
    setAway(text);
  };
  return (
    <aside className="banner" aria-label="From the operator">
      {url ? (
        <a href={url} target="_blank" rel="noreferrer">
          {text}
        </a>
      ) : (
        <span>{text}</span>
      )}
      {!uiBannerPermanent && (
        <Button look="quiet" icon="close" aria-label="Put away" title="Put away" onClick={putAway} />
      )}
    </aside>
  );
}
