import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Icon, type IconName } from "../../primitives/icon.tsx";
import { usePathname } from "../../url-state.ts";

export interface Place {
  readonly label: string;
  readonly href: string;
  readonly icon: IconName;
}

export const places: readonly Place[] = [
  { label: "Applications", href: paths.applications(), icon: "apps" },
  { label: "Repositories", href: paths.repositories(), icon: "repository" },
  { label: "Clusters", href: paths.clusters(), icon: "cluster" },
  { label: "Projects", href: paths.projects(), icon: "project" },
  { label: "Plugins", href: paths.plugins(), icon: "plugin" },
  { label: "Settings", href: paths.settings(), icon: "settings" },
];

export function NavigationBar() {
  const pathname = usePathname();
  return (
    <nav className="navigation" aria-label="Main">
      <Anchor href={paths.applications()} className="brand" aria-label="Capstan, to the applications">
        <img src="capstan.svg" alt="" width="24" height="24" />
      </Anchor>
      {places.map(({ label, href, icon }) => (
        <Anchor
          key={href}
          href={href}
          className="place"
          aria-current={pathname.startsWith(href) ? "page" : undefined}
        >
          <Icon name={icon} size={18} />
          <span>{label}</span>
        </Anchor>
      ))}
    </nav>
  );
}
