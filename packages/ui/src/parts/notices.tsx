import { useEffect, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { useTopDialog } from "../primitives/dialog.tsx";
import { Problem } from "../primitives/problem.tsx";

interface Notice {
  readonly id: number;
  readonly title: string;
  readonly failure?: unknown;
}

let notices: readonly Notice[] = [];
let next = 1;
const listeners = new Set<() => void>();
const successMs = 4000;

function change(to: readonly Notice[]): void {
  notices = to;
  for (const tell of listeners) tell();
}

function dismiss(id: number): void {
  change(notices.filter((notice) => notice.id !== id));
}

/** Says that something was done; goes away by itself. */
export function tell(title: string): void {
  change([...notices, { id: next++, title }]);
}

/** Says what failed; stays until it was read. */
export function tellFailure(title: string, failure: unknown): void {
  change([...notices, { id: next++, title, failure }]);
}

/** Runs `work` and reports its end. */
export async function report(
  words: { done: string; failed: string },
  work: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await work();
    tell(words.done);
    return true;
  } catch (failure) {
    tellFailure(words.failed, failure);
    return false;
  }
}

export function Notices() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices,
  );
  const dialog = useTopDialog();
  const section = (
    <section className="notices" aria-label="Notices" aria-live="polite">
      {shown.map(({ id, title, failure }) =>
        failure === undefined ? (
          <Done key={id} id={id} title={title} />
        ) : (
          <Problem key={id} title={title} failure={failure} onDismiss={() => dismiss(id)} />
        ),
      )}
    </section>
  );
  return dialog ? createPortal(section, dialog) : section;
}

/** Its time begins when it is seen. */
function Done({ id, title }: Omit<Notice, "failure">) {
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), successMs);
    return () => clearTimeout(timer);
  }, [id]);
  return <div className="notice">{title}</div>;
}
