import { type ReactNode, useId, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { Button } from "./button.tsx";

interface Props {
  title: ReactNode;
  wide?: boolean;
  onClose(): void;
  footer?: ReactNode;
  children: ReactNode;
}

let open: readonly HTMLDialogElement[] = [];
const listeners = new Set<() => void>();

function setOpen(dialogs: readonly HTMLDialogElement[]): void {
  open = dialogs;
  for (const tell of listeners) tell();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The dialog above all others: what lies outside of it can be neither seen well nor clicked. */
export function useTopDialog(): HTMLDialogElement | undefined {
  return useSyncExternalStore(listen, () => open.at(-1));
}

/** The browser's own modal dialog: it keeps the focus inside, closes on Esc and gives the focus back. */
export function Dialog({ title, wide = false, onClose, footer, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    // Neither the button that closes nor the one that acts should be one careless key away.
    body.current?.focus();
    if (dialog) setOpen([...open, dialog]);
    return () => {
      dialog?.close();
      setOpen(open.filter((other) => other !== dialog));
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes a dialog by itself; the click is on its backdrop
    <dialog
      ref={element}
      className={wide ? "dialog wide" : "dialog"}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div className="dialog-body" ref={body} tabIndex={-1}>
        <header className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <Button look="quiet" icon="close" aria-label="Close" title="Close (Esc)" onClick={onClose} />
        </header>
        <div className="dialog-main">{children}</div>
        {footer && <footer className="dialog-foot">{footer}</footer>}
      </div>
    </dialog>
  );
}
