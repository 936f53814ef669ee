import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Icon, type IconName } from "../../primitives/icon.tsx";
import { usePathname } from "../../url-state.ts";
import { useExtensions } from "../extensions/registry.ts";

export interface Place {
  readonly label: string;
  /** Where the label is too long for the bar; then it is the name too, so that whoever says what he sees reaches it. */
  readonly short?: string;
  readonly href: string;
  readonly icon: IconName;
}

const ownPlaces: readonly Place[] = [
  { label: "Applications", short: "Apps", href: paths.applications(), icon: "apps" },
  { label: "Resources", href: paths.resources(), icon: "list" },
  { label: "ApplicationSets", short: "App sets", href: paths.applicationSets(), icon: "sets" },
  { label: "Repositories", short: "Repos", href: paths.repositories(), icon: "repository" },
  { label: "Clusters", href: paths.clusters(), icon: "cluster" },
  { label: "Projects", href: paths.projects(), icon: "project" },
  { label: "Plugins", href: paths.plugins(), icon: "plugin" },
  { label: "Settings", href: paths.settings(), icon: "settings" },
];

/** Ours, and those that extensions add. */
export function usePlaces(): readonly Place[] {
  const { pages } = useExtensions();
  return [
    ...ownPlaces,
    ...pages.map(({ title, path }) => ({ label: title, href: path, icon: "link" as const })),
  ];
}

/** Whether an address is a place or lies below it. */
export function isWithin(pathname: string, href: string): boolean {
  return pathname === href || pathname.startsWith(`${href}/`);
}

export function NavigationBar() {
  const pathname = usePathname();
  const places = usePlaces();
  return (
    <nav className="navigation" aria-label="Main">
      <Anchor href={paths.applications()} className="brand" aria-label="Capstan, to the applications">
        <img src="capstan.svg" alt="" width="24" height="24" />
      </Anchor>
      {places.map(({ label, short, href, icon }) => (
        <Anchor
          key={href}
          href={href}
          className="place"
          aria-label={short ?? label}
          title={short && label}
          aria-current={isWithin(pathname, href) ? "page" : undefined}
        >
          <Icon name={icon} size={18} />
          <span>{short ?? label}</span>
        </Anchor>
      ))}
    </nav>
  );
}
