import type { Application } from "@capstan/model";
import type { ExplainedRender } from "@capstan/wire";
import type { AppRef } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { spanText } from "../../primitives/durations.ts";
import { Glyph } from "../../primitives/glyph.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { Segmented } from "../../primitives/segmented.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { comparisonOf, useStages } from "../../queries/details.ts";
import { useHrefWith, useSearch } from "../../url-state.ts";
import { type StageChanges, stageChanges } from "./stage-changes.ts";
import { StageDetails } from "./stage-details.tsx";
import { TimeBar } from "./time-bar.tsx";

/** How git's files become manifests: each stage with its time and what it did. */
export function PipelineTab({ app, appRef }: { app: Application; appRef: AppRef }) {
  const { data, error, isPending } = useStages(appRef, comparisonOf(app));
  const search = useSearch();
  const hrefWith = useHrefWith();
  if (error) return <Problem title={`${appRef.name} cannot be rendered`} failure={error} />;
  if (isPending) return <SkeletonRows rows={4} height={72} />;
  const index = Number(search.source ?? "1") - 1;
  const source = data.sources[index] ?? data.sources[0];
  if (!source) return <p className="note dim">No source of this application gives manifests.</p>;
  const changes = stageChanges(source.stages);
  const chosen = changes.find(({ stage }) => stage.name === search.stage) ?? changes.at(-1);
  return (
    <div className="pipeline-tab">
      {data.sources.length > 1 && <Sources sources={data.sources} current={source} />}
      <TimeBar source={source} />
      <ol className="stages" aria-label="Stages">
        {changes.map((one, position) => (
          <StageCard key={one.stage.name} {...{ one, position }} current={one === chosen} />
        ))}
      </ol>
      {chosen && (
        <StageDetails changes={chosen} parameters={hrefWith({ tab: "parameters", stage: undefined })} />
      )}
    </div>
  );
}

function Sources({ sources, current }: { sources: readonly ExplainedRender[]; current: ExplainedRender }) {
  const hrefWith = useHrefWith();
  return (
    <Segmented
      label="Source"
      segments={sources.map((source, index) => ({
        label: `Source ${index + 1}: ${source.plugin}`,
        href: hrefWith({ source: index === 0 ? undefined : String(index + 1), stage: undefined }),
        current: source === current,
      }))}
    />
  );
}

function StageCard({ one, position, current }: { one: StageChanges; position: number; current: boolean }) {
  const hrefWith = useHrefWith();
  const { stage, added, changed, removed } = one;
  const { files, sensitive, ms, cache } = stage;
  const time = ms > 0 ? [spanText(ms)] : [];
  const facts = [...time, ...(cache === "hit" ? ["kept"] : []), ...(sensitive ? ["masked"] : [])];
  return (
    <li className="stage-step">
      <Anchor
        href={hrefWith({ stage: stage.name })}
        replace
        className="stage-card"
        aria-current={current ? "true" : undefined}
      >
        <span className="stage-name">
          <span className="dim">{position + 1}</span> <strong>{stage.name}</strong>
        </span>
        <span className="dim">
          {stage.name === stage.plugin ? "" : `${stage.plugin} · `}
          {stage.shapes.map((shape) => `${shape}s`).join(", ")}
        </span>
        <span className="stage-counts">
          {added > 0 && <span className="count-added">+ {added} added</span>}
          {changed > 0 && (
            <span className="count-changed">
              <Glyph name="unequal" tone="warn" /> {changed} changed
            </span>
          )}
          {removed > 0 && <span className="count-removed">− {removed} removed</span>}
          {files.length > 0 && <span>{files.length === 1 ? "1 file" : `${files.length} files`}</span>}
          {added + changed + removed + files.length === 0 && <span className="dim">changes nothing</span>}
        </span>
        <span className="dim">{facts.join(" · ")}</span>
      </Anchor>
    </li>
  );
}
