import { type MouseEvent, type ReactNode, useState } from "react";
import { paths } from "../../paths.ts";
import { serverUrl } from "../../server-url.ts";
import { goTo, pageHref } from "../../url-state.ts";
import { type KeyAction, useKeys } from "../keys.ts";
import { Notices } from "../notices.tsx";
import { Banner } from "./banner.tsx";
import { KeyList } from "./key-list.tsx";
import { NavigationBar } from "./navigation-bar.tsx";
import { Palette } from "./palette.tsx";
import { TopLine } from "./top-line.tsx";

type Overlay = "none" | "palette" | "keys";

export function Frame({ children }: { children: ReactNode }) {
  const [overlay, setOverlay] = useState<Overlay>("none");
  const keys: KeyAction[] = [
    { keys: "mod+k", does: "Find anything by name or verb", act: () => setOverlay("palette"), always: true },
    { keys: "?", does: "Show the keys", act: () => setOverlay("keys") },
    { keys: "g a", does: "Go to applications", act: () => goTo(paths.applications()) },
    { keys: "g r", does: "Go to repositories", act: () => goTo(paths.repositories()) },
    { keys: "g p", does: "Go to projects", act: () => goTo(paths.projects()) },
  ];
  useKeys(keys);
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
