import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "./button.tsx";
import type { IconName } from "./icon.tsx";
import { useLeave } from "./leave.ts";

export interface MenuItem {
  label: string;
  hint?: string;
  danger?: boolean;
  act(): void;
}

interface Props {
  label: string;
  icon?: IconName;
  text?: ReactNode;
  items: readonly MenuItem[];
}

/** A button with a short list of actions; arrow keys move, Esc closes. */
export function Menu({ label, icon = "more", text, items }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  useLeave(root, open, () => setOpen(false));
  useEffect(() => {
    if (open) root.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [open]);
  // Where the keys were before.
  const close = () => {
    setOpen(false);
    root.current?.querySelector("button")?.focus();
  };
  const move = (step: number) => {
    const entries = [...(root.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = entries.findIndex((entry) => entry.matches(":focus"));
    entries[(at + step + entries.length) % entries.length]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the menu inside, which bubble up to here
    <div
      className="menu"
      ref={root}
      onKeyDown={(event) => {
        if (!open) return;
        if (event.key === "Escape") close();
        else if (event.key === "ArrowDown") move(1);
        else if (event.key === "ArrowUp") move(-1);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <Button
        icon={icon}
        aria-label={text === undefined ? label : undefined}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {text}
      </Button>
      {open && (
        <div className="menu-list" role="menu" id={id} aria-label={label}>
          {items.map((item) => (
            <Entry key={item.label} item={item} onChosen={close} />
          ))}
        </div>
      )}
    </div>
  );
}

function Entry({ item, onChosen }: { item: MenuItem; onChosen(): void }) {
  return (
    <button
      type="button"
      role="menuitem"
      className={item.danger ? "menu-item danger-text" : "menu-item"}
      onClick={() => {
        onChosen();
        item.act();
      }}
    >
      <span>{item.label}</span>
      {item.hint && <kbd>{item.hint}</kbd>}
    </button>
  );
}
