import type { Application, ResourceDiff } from "@capstan/model";
import { diffTexts } from "../../parts/code/diff-texts.ts";
import { DiffTools } from "../../parts/code/diff-tools.tsx";
import { Diff } from "../../parts/code/lazy-code.tsx";
import { type AppRef, paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Glyph } from "../../primitives/glyph.tsx";
import { useNarrow } from "../../primitives/narrow.ts";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { comparisonOf, useManagedResources } from "../../queries/details.ts";
import { resourceKey, resourceTitle } from "../../resource-id.ts";
import { useSearch } from "../../url-state.ts";

type Change = "create" | "change" | "delete";

export function changeOf(diff: ResourceDiff): Change | undefined {
  if (!diff.targetState && diff.liveState) return "delete";
  if (diff.targetState && (!diff.liveState || diff.liveState === "null")) return "create";
  return diff.modified ? "change" : undefined;
}

const words = {
  create: { text: "is missing in the cluster", glyph: "ring", tone: "warn" },
  change: { text: "differs", glyph: "unequal", tone: "warn" },
  delete: { text: "is no longer in git", glyph: "bin", tone: "bad" },
} as const;

export function DiffTab({ app, appRef }: { app: Application; appRef: AppRef }) {
  const { data, error, isPending } = useManagedResources(appRef, comparisonOf(app));
  const search = useSearch();
  const narrow = useNarrow();
  if (error) return <Problem title={`The differences of ${appRef.name} cannot be read`} failure={error} />;
  if (isPending) return <SkeletonRows rows={6} height={60} />;
  const changed = (data.items ?? []).flatMap((diff) => {
    const change = diff.hook ? undefined : changeOf(diff);
    return change ? [{ diff, change }] : [];
  });
  if (changed.length === 0) {
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
        <strong>{changed.length === 1 ? "1 object differs" : `${changed.length} objects differ`}</strong>
      </DiffTools>
      {changed.map(({ diff, change }) => (
        <ResourceDiffBox
          key={resourceKey(diff)}
          {...{ diff, change, appRef, sideBySide }}
          noise={search.noise === "1"}
        />
      ))}
    </div>
  );
}

interface BoxProps {
  diff: ResourceDiff;
  change: Change;
  appRef: AppRef;
  sideBySide: boolean;
  noise: boolean;
}

function ResourceDiffBox({ diff, change, appRef, sideBySide, noise }: BoxProps) {
  const { text, glyph, tone } = words[change];
  const { before, after } = diffTexts(diff, noise);
  return (
    <section className="diff-box">
      <h2>
        <Glyph name={glyph} tone={tone} />
        <Anchor href={paths.resource(appRef, resourceKey(diff), "diff")}>{resourceTitle(diff)}</Anchor>
        <span className="dim">
          {diff.namespace} {text}
        </span>
      </h2>
      <Diff before={before} after={after} label={resourceTitle(diff)} sideBySide={sideBySide} />
    </section>
  );
}
