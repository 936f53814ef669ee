import { type Application, isAutomated } from "@capstan/model";
import type { ApplicationSyncWindows, SyncWindowState } from "@capstan/wire";
import type { StateLook } from "../primitives/states.ts";

const held: StateLook = { glyph: "pause", word: "Held", tone: "held" };

const windowName = ({ kind, schedule, duration }: SyncWindowState) => `${kind} ${schedule} for ${duration}`;

/** Which of the project's windows holds syncs now; undefined where none does. */
export function windowsClause(
  app: Application,
  windows: ApplicationSyncWindows | undefined,
): { look: StateLook; text: string } | undefined {
  if (!windows) return undefined;
  const denying = windows.activeWindows.filter(({ kind }) => kind === "deny");
  const allowing = windows.assignedWindows.filter(({ kind }) => kind === "allow");
  const isAllowed = windows.activeWindows.some(({ kind }) => kind === "allow");
  const isHeld = denying.length > 0 || (allowing.length > 0 && !isAllowed);
  if (!isHeld || (windows.canSync && !isAutomated(app))) return undefined;
  const who = windows.canSync ? "Automatic syncs wait" : "Syncs are held";
  const why =
    denying.length > 0
      ? `window ${denying.map(windowName).join(", ")}`
      : `outside of window ${allowing.map(windowName).join(", ")}`;
  return { look: held, text: `${who}: ${why}` };
}
