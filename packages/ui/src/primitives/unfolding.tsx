import { type ReactNode, useId, useRef, useState } from "react";
import { Icon } from "./icon.tsx";
import { useLeave } from "./leave.ts";

interface Props {
  label: ReactNode;
  /** A filter that leaves some out says so. */
  filter?: "on" | "off";
  /** What unfolds, which bears the id. */
  children(id: string, close: () => void): ReactNode;
}

/** A button that unfolds what stands below it: until Esc, after which the keys are the button's again, or a press elsewhere. */
export function Unfolding({ label, filter, children }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  const close = () => setOpen(false);
  useLeave(root, open, close);
  const look = { on: "filter on", off: "filter" };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the fields inside, which bubble up to here
    <div
      className="menu"
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        event.preventDefault();
        close();
        root.current?.querySelector("button")?.focus();
      }}
    >
      <button
        type="button"
        className={`button ${filter ? look[filter] : "plain"}`}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <span>{label}</span>
        {filter && <Icon name="down" size={12} />}
      </button>
      {open && children(id, close)}
    </div>
  );
}
