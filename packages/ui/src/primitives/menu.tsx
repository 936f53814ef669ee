import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "./button.tsx";
import type { IconName } from "./icon.tsx";

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
  useEffect(() => {
    if (!open) return;
    const leave = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", leave);
    root.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    return () => document.removeEventListener("pointerdown", leave);
  }, [open]);
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
        if (event.key === "Escape") setOpen(false);
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
          {items.map(({ label: name, hint, danger, act }) => (
            <button
              key={name}
              type="button"
              role="menuitem"
              className={danger ? "menu-item danger-text" : "menu-item"}
              onClick={() => {
                setOpen(false);
                act();
              }}
            >
              <span>{name}</span>
              {hint && <kbd>{hint}</kbd>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
