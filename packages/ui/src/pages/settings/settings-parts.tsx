import type { ReactNode } from "react";
import { paths, settingsParts, settingsWords } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { useCurrentShown } from "../../primitives/use-current-shown.ts";
import { usePathname } from "../../url-state.ts";

/** The pages of the settings, with the way from one to the other. */
export function SettingsFrame({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  const line = useCurrentShown(pathname);
  const link = (href: string, label: string) => (
    <Anchor key={href} href={href} className="tab" aria-current={pathname === href ? "page" : undefined}>
      {label}
    </Anchor>
  );
  return (
    <div className="settings-frame">
      <nav ref={line} className="tab-line" aria-label="Settings">
        {link(paths.settings(), "This server")}
        {settingsParts.map((part) => link(paths.settings(part), settingsWords[part]))}
      </nav>
      {children}
    </div>
  );
}
