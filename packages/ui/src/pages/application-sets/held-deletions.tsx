import type { ApplicationSetCondition } from "@capstan/model";
import { useState } from "react";
import { report } from "../../parts/notices.tsx";
import type { AppRef } from "../../paths.ts";
import { Button } from "../../primitives/button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import { Glyph } from "../../primitives/glyph.tsx";
import { allowDeletion, heldDeletions } from "../../queries/application-sets.ts";

interface Props {
  set: AppRef;
  conditions: readonly ApplicationSetCondition[];
}

/** What the deletion budget holds, and the consent to it: for what is shown, and for nothing that comes later. */
export function HeldDeletions({ set, conditions }: Props) {
  const [isAsking, setIsAsking] = useState(false);
  const held = heldDeletions(conditions);
  if (!held) return null;
  const count = held.code.split("-")[0];
  const verb = `Delete ${count} applications`;
  const allow = async () => {
    const texts = { done: `${set.name} may delete ${count} applications`, failed: `Could not allow it` };
    if (await report(texts, () => allowDeletion(set, held.code))) setIsAsking(false);
  };
  return (
    <section className="problem" aria-label="Held deletions">
      <Glyph name="pause" tone="warn" />
      <div className="problem-text">
        <strong>Deletions are held</strong>
        <p>{held.message}</p>
        <div className="problem-next">
          <Button look="danger" onClick={() => setIsAsking(true)}>
            Allow these deletions…
          </Button>
        </div>
      </div>
      {isAsking && (
        <Dialog
          title={`Let ${set.name} delete ${count} applications`}
          onClose={() => setIsAsking(false)}
          footer={
            <>
              <Button onClick={() => setIsAsking(false)}>Cancel</Button>
              <Button look="danger" onClick={allow}>
                {verb}
              </Button>
            </>
          }
        >
          <p>
            They go with everything that they have deployed, unless the set preserves resources on deletion.
            This is for what is held now; another plan asks again.
          </p>
        </Dialog>
      )}
    </section>
  );
}
