import type { Application } from "@capstan/model";
import { useMemo } from "react";
import { Code } from "../../parts/code/lazy-code.tsx";
import { objectText } from "../../parts/code/object-text.ts";
import { CopyButton } from "../../primitives/copy-button.tsx";
import { Segmented } from "../../primitives/segmented.tsx";
import { useHrefWith, useSearch } from "../../url-state.ts";

/** The Application itself, as it is kept in the cluster. */
export function ManifestTab({ app }: { app: Application }) {
  const hrefWith = useHrefWith();
  const search = useSearch();
  const full = search.status === "1";
  const text = useMemo(() => objectText(app, { noise: full, status: full }), [app, full]);
  return (
    <div className="manifest-tab">
      <div className="tools">
        <Segmented
          label="Show"
          segments={[
            { label: "What was asked for", href: hrefWith({ status: undefined }), current: !full },
            { label: "With status", href: hrefWith({ status: "1" }), current: full },
          ]}
        />
        <CopyButton text={text} label="Copy the YAML" />
      </div>
      <Code text={text} label={`Application ${app.metadata.name}`} />
    </div>
  );
}
