import { type ReactNode, useState } from "react";
import { Glyph } from "../../primitives/glyph.tsx";
import { Icon } from "../../primitives/icon.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import type { StateLook } from "../../primitives/states.ts";

interface Props {
  look: StateLook;
  object: { readonly kind: string; readonly name: string };
  because: ReactNode;
  className?: string;
  /** What is seen where it is opened; without it there is nothing to open. */
  children?: ReactNode;
}

/** One object of a plan or of an operation, and what is done to it. */
export function StepRow({ look, object, because, className = "step", children }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <li className={className}>
      <button
        type="button"
        className="step-head"
        aria-expanded={open}
        disabled={!children}
        onClick={() => setOpen(!open)}
      >
        <span className={open ? "twist open" : "twist"} aria-hidden="true">
          {children && <Icon name="chevron" size={12} />}
        </span>
        <span className={`step-act tone-${look.tone}`}>
          <Glyph name={look.glyph} tone={look.tone} />
          {look.word}
        </span>
        <span className="step-name">
          <span className="dim">{object.kind}</span> <MiddleCut text={object.name} />
        </span>
        {because}
      </button>
      {open && children}
    </li>
  );
}
