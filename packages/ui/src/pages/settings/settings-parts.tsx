import type { ReactNode } from "react";
import { paths, settingsParts } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { usePathname } from "../../url-state.ts";

const words = {
  accounts: "Accounts",
  certificates: "Certificates",
  "gpg-keys": "GPG keys",
  notifications: "Notifications",
} as const;

/** The pages of the settings, with the way from one to the other. */
export function SettingsFrame({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  const link = (href: string, label: string) => (
    <Anchor key={href} href={href} className="tab" aria-current={pathname === href ? "page" : undefined}>
      {label}
    </Anchor>
  );
  return (
    <div className="settings-frame">
      <nav className="tab-line" aria-label="Settings">
        {link(paths.settings(), "This server")}
        {settingsParts.map((part) => link(paths.settings(part), words[part]))}
      </nav>
      {children}
    </div>
  );
}
