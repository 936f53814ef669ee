import { useEffect } from "react";
import { paths, settingsParts, settingsWords } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Button } from "../../primitives/button.tsx";
import { Icon } from "../../primitives/icon.tsx";
import { Menu } from "../../primitives/menu.tsx";
import { useSettings, useUser } from "../../queries/session.ts";
import { goTo, usePathname } from "../../url-state.ts";
import { leave } from "../leave.ts";
import { useListHref } from "../list-memory.ts";
import { setTheme, themes, useTheme } from "../theme.ts";
import { ConnectionMark } from "./connection-mark.tsx";
import { keyText } from "./key-text.ts";
import { isWithin, usePlaces } from "./navigation-bar.tsx";

interface Props {
  onSearch(): void;
  onKeys(): void;
}

export function TopLine({ onSearch, onKeys }: Props) {
  const pathname = usePathname();
  const theme = useTheme();
  const user = useUser().data;
  const settings = useSettings().data;
  const themeItems = themes
    .filter((name) => name !== theme)
    .map((name) => ({ label: `Theme: ${name}`, act: () => setTheme(name) }));
  return (
    <header className="top-line">
      <Breadcrumb />
      <ConnectionMark />
      <button type="button" className="find" onClick={onSearch}>
        <Icon name="search" size={14} />
        <span className="find-text">Find or do anything</span>
        {keyText("mod+k").map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </button>
      {settings?.simulatedCluster && (
        <span
          className="chip simulated"
          title="This is Capstan's own embedded cluster. It keeps objects and plays their life, but no container really runs."
        >
          <Icon name="cluster" size={13} />
          <span>Simulated cluster</span>
        </span>
      )}
      <Button
        look="quiet"
        icon="keyboard"
        aria-label="Keys"
        title="Keys (?)"
        className="wide-only"
        onClick={onKeys}
      />
      <Menu
        label={user?.username ? `Signed in as ${user.username}` : "Account"}
        icon="user"
        items={[
          ...themeItems,
          { label: "Keys", hint: "?", act: onKeys },
          { label: "Settings", act: () => goTo(paths.settings()) },
          user?.loggedIn === false
            ? { label: "Sign in", act: () => goTo(paths.login(pathname)) }
            : { label: "Sign out", act: () => leave() },
        ]}
      />
    </header>
  );
}

/** Of pages whose address is no name of somebody's. */
function wordOf(pathname: string): string | undefined {
  if (pathname === paths.newApplication()) return "New";
  const part = settingsParts.find((one) => pathname === paths.settings(one));
  return part && settingsWords[part];
}

function Breadcrumb() {
  const pathname = usePathname();
  const place = usePlaces().find(({ href }) => isWithin(pathname, href));
  const parts = pathname.split("/").filter(Boolean).slice(1).map(decodeURIComponent);
  const last = wordOf(pathname) ?? parts.at(-1);
  const title = [last, place?.label, "Capstan"].filter(Boolean).join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
  const listHref = useListHref();
  return (
    <nav className="breadcrumb" aria-label="Breadcrumb">
      <ol>
        {place && (
          <li>
            <Anchor
              href={place.href === paths.applications() && last !== undefined ? listHref : place.href}
              aria-current={last === undefined ? "page" : undefined}
            >
              {place.label}
            </Anchor>
          </li>
        )}
        {last !== undefined && (
          <li>
            <span aria-current="page" title={parts.join("/")}>
              {last}
            </span>
          </li>
        )}
      </ol>
    </nav>
  );
}
