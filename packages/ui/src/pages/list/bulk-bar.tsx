import { useState } from "react";
import { tell, tellFailure } from "../../parts/notices.tsx";
import { Button } from "../../primitives/button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import { refreshApplication, syncApplication } from "../../queries/actions.ts";
import type { RowFacts } from "./row-facts.ts";
import type { Selection } from "./use-selection.ts";

const atOnce = 4;

/** Runs `work` for each, a few at a time; what fails is told one by one and stays. */
async function forEachApp(
  apps: readonly RowFacts[],
  verb: string,
  work: (app: RowFacts) => Promise<void>,
): Promise<void> {
  const queue = [...apps];
  let failures = 0;
  const worker = async () => {
    for (let app = queue.shift(); app; app = queue.shift()) {
      try {
        await work(app);
      } catch (failure) {
        failures++;
        tellFailure(`Could not ${verb} ${app.name}`, failure);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const done = apps.length - failures;
  if (done > 0) tell(`${verb === "sync" ? "Sync started for" : "Refreshed"} ${countText(done)}`);
}

function countText(count: number): string {
  return count === 1 ? "1 application" : `${count} applications`;
}

export function BulkBar({ selection, apps }: { selection: Selection; apps: readonly RowFacts[] }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const chosen = apps.filter(({ key }) => selection.keys.has(key));
  const run = async (verb: string, work: (app: RowFacts) => Promise<void>) => {
    setBusy(true);
    await forEachApp(chosen, verb, work);
    setBusy(false);
  };
  return (
    <section className="bulk-bar" aria-label="Selected applications">
      <strong>{chosen.length} selected</strong>
      <Button look="primary" icon="sync" busy={busy} onClick={() => setAsking(true)}>
        Sync…
      </Button>
      <Button busy={busy} onClick={() => run("refresh", (app) => refreshApplication(app, "normal"))}>
        Refresh
      </Button>
      <Button look="quiet" onClick={selection.clear}>
        Clear
      </Button>
      {asking && (
        <BulkSync
          apps={chosen}
          onClose={() => setAsking(false)}
          onSync={(prune) => {
            setAsking(false);
            void run("sync", (app) => syncApplication(app, { prune }));
          }}
        />
      )}
    </section>
  );
}

interface BulkSyncProps {
  apps: readonly RowFacts[];
  onClose(): void;
  onSync(prune: boolean): void;
}

function BulkSync({ apps, onClose, onSync }: BulkSyncProps) {
  const [prune, setPrune] = useState(false);
  return (
    <Dialog
      title={`Sync ${countText(apps.length)}`}
      onClose={onClose}
      footer={
        <Button look={prune ? "danger" : "primary"} onClick={() => onSync(prune)}>
          {prune
            ? `Sync ${countText(apps.length)}, delete what is not in git`
            : `Sync ${countText(apps.length)}`}
        </Button>
      }
    >
      <ul className="plain-list">
        {apps.slice(0, 12).map(({ key, name, sync }) => (
          <li key={key}>
            {name} <span className="dim">{sync}</span>
          </li>
        ))}
        {apps.length > 12 && <li className="dim">and {apps.length - 12} more</li>}
      </ul>
      <label className="check">
        <input type="checkbox" checked={prune} onChange={(event) => setPrune(event.target.checked)} />
        <span>Prune: delete objects that are no longer in git</span>
      </label>
    </Dialog>
  );
}
