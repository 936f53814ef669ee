import { failureCause } from "@capstan/model";
import type { SyncPlanPreview } from "@capstan/wire";
import { useState } from "react";
import { rightOnNamed } from "../../parts/application-rights.ts";
import { useKeys } from "../../parts/keys.ts";
import { tell, tellFailure } from "../../parts/notices.tsx";
import { Button } from "../../primitives/button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { refreshApplication, syncApplication } from "../../queries/actions.ts";
import { useSyncPlan } from "../../queries/details.ts";
import { useRights, whenAllowed } from "../../queries/rights.ts";
import type { RowFacts } from "./row-facts.ts";
import type { Selection } from "./use-selection.ts";

const atOnce = 4;

/** From here on failures are told together: who syncs hundreds wants to read one notice. */
const toldOneByOne = 3;

/** Runs `work` for each, a few at a time; what fails is told and stays. */
async function forEachApp(
  apps: readonly RowFacts[],
  verb: string,
  work: (app: RowFacts) => Promise<void>,
): Promise<void> {
  const queue = [...apps];
  const failures: { name: string; failure: unknown }[] = [];
  const worker = async () => {
    for (let app = queue.shift(); app; app = queue.shift()) {
      try {
        await work(app);
      } catch (failure) {
        failures.push({ name: app.name, failure });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  tellFailures(verb, failures);
  const done = apps.length - failures.length;
  if (done > 0) tell(`${verb === "sync" ? "Sync started for" : "Refreshed"} ${countText(done)}`);
}

function tellFailures(verb: string, failures: readonly { name: string; failure: unknown }[]): void {
  if (failures.length <= toldOneByOne)
    for (const { name, failure } of failures) tellFailure(`Could not ${verb} ${name}`, failure);
  else {
    const textOf = (failure: unknown) => (failure instanceof Error ? failure.message : String(failure));
    const lines = failures.map(({ name, failure }) => `${name}: ${textOf(failure)}`);
    tellFailure(`Could not ${verb} ${countText(failures.length)}`, new Error(lines.join("\n")));
  }
}

function countText(count: number): string {
  return count === 1 ? "1 application" : `${count} applications`;
}

export function BulkBar({ selection, apps }: { selection: Selection; apps: readonly RowFacts[] }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const chosen = apps.filter(({ key }) => selection.keys.has(key));
  const rights = chosen.map((app) => rightOnNamed(app, "sync"));
  const may = useRights(rights);
  const syncable = chosen.filter((_app, index) => may[index]);
  const run = async (on: readonly RowFacts[], verb: string, work: (app: RowFacts) => Promise<void>) => {
    setBusy(true);
    await forEachApp(on, verb, work);
    setBusy(false);
  };
  const refresh = () => run(chosen, "refresh", (app) => refreshApplication(app, "normal"));
  // Pressed before it is known whether one may, a key waits for the answer: it is not lost.
  const ask = () => void whenAllowed(rights, () => setAsking(true));
  useKeys([
    ...(may.some((one) => one !== false)
      ? [{ keys: "s", does: "Sync the selected applications…", act: ask }]
      : []),
    { keys: "r", does: "Refresh the selected applications", act: () => void refresh() },
  ]);
  return (
    <section className="bulk-bar" aria-label="Selected applications">
      <strong>{chosen.length} selected</strong>
      {syncable.length > 0 && (
        <Button look="primary" icon="sync" busy={busy} title="Sync (s)" onClick={() => setAsking(true)}>
          Sync…
        </Button>
      )}
      <Button busy={busy} title="Refresh (r)" onClick={refresh}>
        Refresh
      </Button>
      <Button look="quiet" onClick={selection.clear}>
        Clear
      </Button>
      {asking && syncable.length > 0 && (
        <BulkSync
          apps={syncable}
          leftOut={chosen.length - syncable.length}
          onClose={() => setAsking(false)}
          onSync={(prune) => {
            setAsking(false);
            void run(syncable, "sync", (app) => syncApplication(app, { prune }));
          }}
        />
      )}
    </section>
  );
}

/** Each plan is a comparison of its own. */
const plannedAtMost = 12;

/** What would be done to one of them, or why nothing can be. */
function PlannedApp({ app, prune }: { app: RowFacts; prune: boolean }) {
  const { data, error, isPlaceholderData } = useSyncPlan(app, { prune }, `${app.revision}|${app.syncedAt}`);
  const plan = isPlaceholderData ? undefined : data;
  const isBad = error !== null || (plan?.blockedBy.length ?? 0) > 0;
  return (
    <li className="planned-app">
      <span className="planned-name">
        <MiddleCut text={app.name} />
      </span>
      <span className={isBad ? "tone-bad" : "dim"}>
        {error ? failureCause(error.message) : plan ? planText(plan) : "…"}
      </span>
    </li>
  );
}

function planText({ blockedBy, counts }: SyncPlanPreview): string {
  const [blocker] = blockedBy;
  if (blocker !== undefined) return `cannot start: ${failureCause(blocker)}`;
  const parts = [
    [counts.create, "to create"],
    [counts.update, "to change"],
    [counts.delete, "to delete"],
    [counts.hook, counts.hook === 1 ? "hook" : "hooks"],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return said.join(", ") || "nothing would change";
}

interface BulkSyncProps {
  apps: readonly RowFacts[];
  /** Chosen ones that whoever asks has no right to sync. */
  leftOut: number;
  onClose(): void;
  onSync(prune: boolean): void;
}

/** So many are not synced by one careless click. */
const typedFrom = 20;

function BulkSync({ apps, leftOut, onClose, onSync }: BulkSyncProps) {
  const [prune, setPrune] = useState(false);
  const [typed, setTyped] = useState("");
  const isConfirmed = apps.length < typedFrom || typed.trim() === String(apps.length);
  return (
    <Dialog
      title={`Sync ${countText(apps.length)}`}
      onClose={onClose}
      footer={
        <Button look={prune ? "danger" : "primary"} disabled={!isConfirmed} onClick={() => onSync(prune)}>
          {prune
            ? `Sync ${countText(apps.length)}, delete what is not in git`
            : `Sync ${countText(apps.length)}`}
        </Button>
      }
    >
      <ul className="plain-list">
        {apps.slice(0, plannedAtMost).map((app) => (
          <PlannedApp key={app.key} app={app} prune={prune} />
        ))}
        {apps.length > plannedAtMost && (
          <li className="dim">and {apps.length - plannedAtMost} more, whose plans are not made here</li>
        )}
      </ul>
      {leftOut > 0 && (
        <p className="note">{countText(leftOut)} of the chosen ones you have no right to sync: left out.</p>
      )}
      <label className="check">
        <input type="checkbox" checked={prune} onChange={(event) => setPrune(event.target.checked)} />
        <span>Prune: delete objects that are no longer in git</span>
      </label>
      {apps.length >= typedFrom && (
        <label className="field">
          <span>
            Type <b>{apps.length}</b> to confirm
          </span>
          <input
            value={typed}
            inputMode="numeric"
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
      )}
    </Dialog>
  );
}
