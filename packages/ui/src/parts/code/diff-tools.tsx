import type { ReactNode } from "react";
import { Segmented } from "../../primitives/segmented.tsx";
import { useHrefWith, useSearch } from "../../url-state.ts";

/** How a diff is shown, as the address says; what stands before it in the line comes from who shows it. */
export function DiffTools({ sideBySide, children }: { sideBySide: boolean; children?: ReactNode }) {
  const hrefWith = useHrefWith();
  return (
    <div className="tools">
      {children}
      <span className="legend">
        <span className="swatch removed" /> live <span className="swatch added" /> desired
      </span>
      <Segmented
        label="Show the diff"
        segments={[
          { label: "One column", href: hrefWith({ diff: undefined }), current: !sideBySide },
          { label: "Side by side", href: hrefWith({ diff: "beside" }), current: sideBySide },
        ]}
      />
      <NoiseChoice />
    </div>
  );
}

/** With or without the fields that only the cluster writes. */
export function NoiseChoice() {
  const hrefWith = useHrefWith();
  const noise = useSearch().noise === "1";
  return (
    <Segmented
      label="Fields of the cluster"
      segments={[
        { label: "Without noise", href: hrefWith({ noise: undefined }), current: !noise },
        { label: "All fields", href: hrefWith({ noise: "1" }), current: noise },
      ]}
    />
  );
}
