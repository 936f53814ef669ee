import type { ReactNode } from "react";
import { type ColumnKey, columnClass } from "./columns.ts";

interface Props {
  of: ColumnKey;
  dim?: boolean;
  title?: string;
  children: ReactNode;
}

export function Cell({ of, dim = false, title, children }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see Table
    <span className={columnClass(of) + (dim ? " dim" : "")} role="cell" title={title}>
      {children}
    </span>
  );
}
