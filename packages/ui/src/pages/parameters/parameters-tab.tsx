import { type Application, type ApplicationSource, sourcesOf } from "@capstan/model";
import type { SourceDescription } from "@capstan/wire";
import { type FormEvent, useEffect } from "react";
import { rightOn } from "../../parts/application-rights.ts";
import type { AppRef } from "../../paths.ts";
import { Problem } from "../../primitives/problem.tsx";
import { Segmented } from "../../primitives/segmented.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { useSourceDescriptions } from "../../queries/details.ts";
import { useRight } from "../../queries/rights.ts";
import { useHrefWith, useSearch } from "../../url-state.ts";
import { DirectoryForm } from "./directory-form.tsx";
import type { Draft } from "./draft.ts";
import { fieldGroups, nothingKnown } from "./fields.ts";
import { HelmForm } from "./helm-form.tsx";
import { KustomizeForm } from "./kustomize-form.tsx";
import { PluginForm } from "./plugin-form.tsx";
import { findProblems, placeOfRefusal } from "./problems.ts";
import { SaveBar } from "./save-bar.tsx";
import { type SourceDraft, useSourceDraft } from "./use-source-draft.ts";

/** What the application sets for the tools that render it, source by source. */
export default function ParametersTab({ app, appRef }: { app: Application; appRef: AppRef }) {
  const search = useSearch();
  const sources = sourcesOf(app);
  const { data, error, isPending } = useSourceDescriptions(appRef, app);
  const position = Math.min(Math.max(Number(search.source ?? "1") - 1 || 0, 0), sources.length - 1);
  const edit = useSourceDraft(app, appRef, position);
  if (app.spec.sourceHydrator)
    return (
      <p className="note dim">The sources of a hydrator are set in its specification: capstan app edit.</p>
    );
  if (error) return <Problem title={`What ${appRef.name} can be told cannot be read`} failure={error} />;
  if (isPending || !edit) return <SkeletonRows rows={6} height={56} />;
  const { description, problem } = data.sources[position] ?? {};
  return (
    <div className="parameters-tab">
      {sources.length > 1 && <Sources sources={sources} position={position} />}
      {problem && <Problem title="The source cannot be read now, which saving needs too" failure={problem} />}
      <SourceForm key={position} {...{ app, description, edit }} source={sources[position]} />
    </div>
  );
}

function Sources({ sources, position }: { sources: readonly ApplicationSource[]; position: number }) {
  const hrefWith = useHrefWith();
  return (
    <Segmented
      label="Source"
      segments={sources.map((source, index) => ({
        label: `${index + 1} ${source.name ?? source.chart ?? source.path ?? source.ref ?? ""}`,
        href: hrefWith({ source: index === 0 ? undefined : String(index + 1) }),
        current: index === position,
      }))}
    />
  );
}

interface FormProps {
  app: Application;
  source: ApplicationSource | undefined;
  description: SourceDescription | undefined;
  edit: SourceDraft;
}

function SourceForm({ app, source, description, edit }: FormProps) {
  const may = useRight(rightOn(app, "update"));
  const { draft, changed, change } = edit;
  useWarning(changed.length > 0);
  const groups = fieldGroups(description ?? nothingKnown, draft);
  const found = findProblems(draft, groups);
  const message = edit.failure instanceof Error ? edit.failure.message : "";
  const refused = message === "" ? undefined : placeOfRefusal(message, groups);
  const problems = refused === undefined ? found : new Map([...found, [refused, message]]);
  const tools = toolsOf(source, description, draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (found.size === 0) void edit.save();
  };
  const props = { draft, description, problems, onChange: change };
  return (
    <>
      <SourceFacts source={source} description={description} />
      {may === false && <p className="note dim">You have no right to change this application.</p>}
      <fieldset className="transparent" disabled={!may}>
        {tools.includes("Helm") && <HelmForm {...props} />}
        {tools.includes("Kustomize") && <KustomizeForm {...props} />}
        {tools.includes("Directory") && <DirectoryForm {...props} />}
        {tools.includes("Plugin") && <PluginForm {...props} groups={groups} />}
      </fieldset>
      {tools.length === 0 && (
        <p className="note dim">Other sources refer to this one; nothing is rendered of it.</p>
      )}
      {changed.length > 0 && source && (
        <form onSubmit={submit}>
          <SaveBar {...{ edit, source }} problems={found} isRefusedAt={refused} />
        </form>
      )}
    </>
  );
}

/** The tool that renders, and any for which something is set. */
function toolsOf(
  source: ApplicationSource | undefined,
  description: SourceDescription | undefined,
  draft: Draft,
): string[] {
  const { parameters, env } = draft;
  return ["Helm", "Kustomize", "Directory", "Plugin"].filter((tool) => {
    if (description?.sourceType === tool) return true;
    if (tool === "Helm") return source?.helm !== undefined;
    if (tool === "Kustomize") return source?.kustomize !== undefined;
    if (tool === "Directory") return source?.directory !== undefined;
    return source?.plugin !== undefined || parameters.length + env.length > 0;
  });
}

function SourceFacts({ source, description }: Pick<FormProps, "source" | "description">) {
  if (!source) return null;
  const { repoURL, path, chart, targetRevision } = source;
  return (
    <p className="dim source-facts">
      {description ? (
        <>
          <strong>{description.plugin}</strong> renders <strong>{chart ?? path}</strong>
        </>
      ) : (
        (chart ?? path)
      )}{" "}
      of <code>{repoURL}</code>
      {targetRevision && ` at ${targetRevision}`}
    </p>
  );
}

/** The browser asks before it leaves what is not saved. */
function useWarning(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDirty]);
}
