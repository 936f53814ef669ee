import { type MouseEvent, type ReactNode, useEffect, useState } from "react";
import { paths } from "../../paths.ts";
import { lazyPart } from "../../primitives/lazy-part.tsx";
import { serverUrl } from "../../server-url.ts";
import { goTo, pageHref } from "../../url-state.ts";
import { useExtensionScripts } from "../extensions/use-extension-scripts.ts";
import { type KeyAction, useKeys } from "../keys.ts";
import { Notices } from "../notices.tsx";
import { Banner } from "./banner.tsx";
import { moveFocus } from "./move-focus.ts";
import { NavigationBar } from "./navigation-bar.tsx";
import { SessionEnd } from "./session-end.tsx";
import { TopLine } from "./top-line.tsx";

const quietMs = 10_000;
const none = { rows: 0 };
const KeyList = lazyPart(
  "The list of keys",
  async () => ({ default: (await import("./key-list.tsx")).KeyList }),
  none,
);
const loadPalette = () => import("./palette.tsx");
const Palette = lazyPart(
  "What finds anything",
  async () => ({ default: (await loadPalette()).Palette }),
  none,
);

type Overlay = "none" | "palette" | "keys";

export function Frame({ children }: { children: ReactNode }) {
  const [overlay, setOverlay] = useState<Overlay>("none");
  const keys: KeyAction[] = [
    { keys: "mod+k", does: "Find anything by name or verb", act: () => setOverlay("palette"), always: true },
    { keys: "?", does: "Show the keys", act: () => setOverlay("keys") },
    { keys: "j", does: "Next row", act: () => moveFocus(1) },
    { keys: "k", does: "Row before", act: () => moveFocus(-1) },
    { keys: "g a", does: "Go to applications", act: () => goTo(paths.applications()) },
    { keys: "g r", does: "Go to repositories", act: () => goTo(paths.repositories()) },
    { keys: "g p", does: "Go to projects", act: () => goTo(paths.projects()) },
  ];
  useKeys(keys, { beneath: true });
  useExtensionScripts();
  useEffect(() => {
    // Once the page is quiet: what is typed after Ctrl+K is not to wait for it.
    const timer = setTimeout(() => void loadPalette().catch(() => undefined), quietMs);
    return () => clearTimeout(timer);
  }, []);
  const skip = (event: MouseEvent) => {
    event.preventDefault();
    document.getElementById("content")?.focus();
  };
  const close = () => setOverlay("none");
  return (
    <div className="frame">
      <a className="skip" href={`${serverUrl(pageHref())}#content`} onClick={skip}>
        Skip to content
      </a>
      <NavigationBar />
      <TopLine onSearch={() => setOverlay("palette")} onKeys={() => setOverlay("keys")} />
      <div className="content-column">
        <SessionEnd />
        <Banner place="top" />
        <main id="content" className="content" tabIndex={-1}>
          {children}
        </main>
        <Banner place="bottom" />
      </div>
      <Notices />
      {overlay === "palette" && <Palette onClose={close} onKeys={() => setOverlay("keys")} />}
      {overlay === "keys" && <KeyList onClose={close} />}
    </div>
  );
}
