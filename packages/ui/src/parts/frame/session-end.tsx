import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { useNow } from "../../primitives/now.ts";
import { TimeUntil } from "../../primitives/time-until.tsx";
import { useUser } from "../../queries/session.ts";
import { pageHref } from "../../url-state.ts";

const toldBeforeMs = 10 * 60_000;

/** Told while there is time to end what one is at; a session that the server renews by itself has no end. */
export function SessionEnd() {
  const expiresAt = useUser().data?.expiresAt;
  const now = useNow();
  if (expiresAt === undefined || expiresAt * 1_000 - now > toldBeforeMs) return null;
  return (
    <aside className="banner" aria-label="Your session">
      <span>
        Your session ends <TimeUntil at={new Date(expiresAt * 1_000).toISOString()} />: what you have not
        written by then is lost.
      </span>
      <Anchor href={paths.login(pageHref())}>Sign in again</Anchor>
    </aside>
  );
}
