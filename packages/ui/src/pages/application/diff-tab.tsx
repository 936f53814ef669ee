import type { Application } from "@capstan/model";
import { useMemo } from "react";
import { DiffTools } from "../../parts/code/diff-tools.tsx";
import { Diff } from "../../parts/code/lazy-code.tsx";
import { Unpredicted } from "../../parts/code/unpredicted.tsx";
import { type AppRef, paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Glyph } from "../../primitives/glyph.tsx";
import { useNarrow } from "../../primitives/narrow.ts";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { comparisonOf, useDifferences } from "../../queries/details.ts";
import { resourceKey, resourceTitle } from "../../resource-id.ts";
import { useSearch } from "../../url-state.ts";
import { ChangedObjects } from "./changed-objects.tsx";
import { boxId, type Compared, changeWords, comparedOf } from "./object-change.ts";

export function DiffTab({ app, appRef }: { app: Application; appRef: AppRef }) {
  const { data, error, isPending } = useDifferences(appRef, comparisonOf(app));
  const search = useSearch();
  const narrow = useNarrow();
  const noise = search.noise === "1";
  const compared = useMemo(() => comparedOf(data?.items ?? [], noise), [data, noise]);
  if (error) return <Problem title={`The differences of ${appRef.name} cannot be read`} failure={error} />;
  if (isPending) return <SkeletonRows rows={6} height={60} />;
  if (compared.length === 0) {
    return (
      <section className="empty">
        <h2>No differences</h2>
        <p>The cluster is as git says.</p>
      </section>
    );
  }
  const sideBySide = search.diff === "beside" && !narrow;
  return (
    <div className="diff-tab">
      <DiffTools sideBySide={sideBySide}>
        <strong>{compared.length === 1 ? "1 object differs" : `${compared.length} objects differ`}</strong>
      </DiffTools>
      <ChangedObjects app={app} compared={compared} />
      {compared.map((one) => (
        <ResourceDiffBox key={resourceKey(one.diff)} {...{ ...one, appRef, sideBySide }} />
      ))}
    </div>
  );
}

interface BoxProps extends Compared {
  appRef: AppRef;
  sideBySide: boolean;
}

function ResourceDiffBox({ diff, change, before, after, appRef, sideBySide }: BoxProps) {
  const { text, glyph, tone } = changeWords[change];
  return (
    <section className="diff-box" id={boxId(diff)}>
      <h2>
        <Glyph name={glyph} tone={tone} />
        <Anchor href={paths.resource(appRef, resourceKey(diff), "diff")}>{resourceTitle(diff)}</Anchor>
        <span className="dim">
          {diff.namespace} {text}
        </span>
      </h2>
      <Unpredicted because={diff.unpredicted} />
      <Diff before={before} after={after} label={resourceTitle(diff)} sideBySide={sideBySide} />
    </section>
  );
}
