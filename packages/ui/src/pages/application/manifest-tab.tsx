import type { Application } from "@capstan/model";
import { useMemo } from "react";
import { rightOn } from "../../parts/application-rights.ts";
import { Code } from "../../parts/code/lazy-code.tsx";
import { objectText } from "../../parts/code/object-text.ts";
import type { AppRef } from "../../paths.ts";
import { Button } from "../../primitives/button.tsx";
import { CopyButton } from "../../primitives/copy-button.tsx";
import { lazyPart } from "../../primitives/lazy-part.tsx";
import { Segmented } from "../../primitives/segmented.tsx";
import { useCan } from "../../queries/rights.ts";
import { changeSearch, useHrefWith, useSearch } from "../../url-state.ts";

/** Brings a reader of YAML and all that checks an Application. */
const EditApplication = lazyPart("The editor", () => import("./edit-application.tsx"), {
  rows: 8,
  height: 44,
});

/** The Application itself, as it is kept in the cluster. */
export function ManifestTab({ app, appRef }: { app: Application; appRef: AppRef }) {
  const hrefWith = useHrefWith();
  const search = useSearch();
  const full = search.status === "1";
  const mayUpdate = useCan(rightOn(app, "update"));
  const text = useMemo(() => objectText(app, { noise: full, status: full }), [app, full]);
  if (search.edit === "1" && mayUpdate) return <EditApplication app={app} appRef={appRef} />;
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
        {mayUpdate && <Button onClick={() => changeSearch({ edit: "1" }, { push: true })}>Edit…</Button>}
      </div>
      <Code text={text} label={`Application ${app.metadata.name}`} />
    </div>
  );
}
