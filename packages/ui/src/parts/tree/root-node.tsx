import type { ReactNode } from "react";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { objectCount } from "../application-facts.ts";

interface Props {
  kind: string;
  name: string;
  /** Objects below it. */
  size: number;
  focusable: boolean;
  onClick?(): void;
  /** Its states. */
  children: ReactNode;
}

/** What the whole picture is about. */
export function RootNode({ kind, name, size, focusable, onClick, children }: Props) {
  return (
    <div className="node root">
      <button type="button" className="node-main" tabIndex={focusable ? 0 : -1} onClick={onClick}>
        <span className="node-kind">
          {kind}
          <span className="node-fact">{objectCount(size)}</span>
        </span>{" "}
        <span className="node-name">
          <MiddleCut text={name} />
        </span>
      </button>
      <span className="node-states">{children}</span>
    </div>
  );
}
