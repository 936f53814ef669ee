import { type ReactNode, useState } from "react";
import { Button } from "../../primitives/button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import type { IconName } from "../../primitives/icon.tsx";
import { type Right, useRight } from "../../queries/rights.ts";
import { report } from "../notices.tsx";

interface RightfulProps {
  right: Right;
  /** Shown to whom the server would refuse it. */
  otherwise?: ReactNode;
  children: ReactNode;
}

/** Shows something to whom the server would let do it. */
export function Rightful({ right, otherwise = null, children }: RightfulProps) {
  const may = useRight(right);
  if (may === undefined) return null;
  return may ? children : otherwise;
}

/** Where a link leads to what is not for everybody. */
export function RefusedTo({ verb }: { verb: string }) {
  return <span className="dim">You have no right to {verb}.</span>;
}

interface DialogButtonProps {
  right: Right;
  label: string;
  /** Its object, where several of them stand on a page. */
  about?: string;
  icon?: IconName;
  look?: "primary" | "quiet" | "plain";
  dialog(close: () => void): ReactNode;
}

/** A button that opens a dialog, for whoever may do what the dialog does. */
export function DialogButton({ right, label, about, icon, look = "quiet", dialog }: DialogButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Rightful right={right}>
      <Button
        look={look}
        {...(icon && { icon })}
        aria-label={about ? `${label} ${about}` : undefined}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </Button>
      {isOpen && dialog(() => setIsOpen(false))}
    </Rightful>
  );
}

interface ActionButtonProps {
  right: Right;
  label: string;
  about: string;
  /** Said when it has been done. */
  done: string;
  act(): Promise<unknown>;
}

/** A button that does something at once, for whoever may. */
export function ActionButton({ right, label, about, done, act }: ActionButtonProps) {
  const [isBusy, setIsBusy] = useState(false);
  const run = async () => {
    setIsBusy(true);
    await report({ done, failed: `Could not ${label.toLowerCase()} ${about}` }, act);
    setIsBusy(false);
  };
  return (
    <Rightful right={right}>
      <Button look="quiet" busy={isBusy} aria-label={`${label} ${about}`} onClick={run}>
        {label}
      </Button>
    </Rightful>
  );
}

interface DeleteButtonProps {
  right: Right;
  /** What is deleted: "repository https://…". */
  what: string;
  consequence: string;
  act(): Promise<unknown>;
}

/** Asks once more, says what follows, and deletes. */
export function DeleteButton({ right, what, consequence, act }: DeleteButtonProps) {
  const remove = async (close: () => void) => {
    if (await report({ done: `Deleted: ${what}`, failed: `Could not delete ${what}` }, act)) close();
  };
  return (
    <DialogButton
      right={right}
      label="Delete"
      about={what}
      dialog={(close) => (
        <Dialog
          title={`Delete ${what}`}
          onClose={close}
          footer={
            <>
              <Button onClick={close}>Cancel</Button>
              <Button look="danger" onClick={() => remove(close)}>
                Delete
              </Button>
            </>
          }
        >
          <p>{consequence}</p>
        </Dialog>
      )}
    />
  );
}
