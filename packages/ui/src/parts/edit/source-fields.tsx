import type { Application, ApplicationSource } from "@capstan/model";
import { useState } from "react";
import { Button } from "../../primitives/button.tsx";
import { useCharts, useRefs, useRepositories, useRepositoryApps } from "../../queries/places.ts";
import { sourcesOf } from "../application-facts.ts";
import { FormField } from "./form-field.tsx";

interface Props {
  app: Application;
  onChange(app: Application): void;
}

/** Where it comes from: one source or several, in their order. */
export function SourceFields({ app, onChange }: Props) {
  const sources = sourcesOf(app);
  const put = (next: readonly ApplicationSource[]) => onChange(withSources(app, next));
  if (app.spec.sourceHydrator)
    return <p className="note dim">The sources of a hydrator are changed in the text.</p>;
  return (
    <>
      {sources.map((source, index) => (
        <Source
          // biome-ignore lint/suspicious/noArrayIndexKey: a source is its place; two may be equal
          key={index}
          source={source}
          title={sources.length > 1 ? `From, ${index + 1}` : "From"}
          project={app.spec.project}
          isOneOfMany={sources.length > 1}
          onChange={(changed) => put(sources.with(index, changed))}
          {...(index > 0 && { onUp: () => put(moved(sources, index)) })}
          {...(sources.length > 1 && { onRemove: () => put(sources.toSpliced(index, 1)) })}
        />
      ))}
      <Button icon="plus" onClick={() => put([...sources, { repoURL: "", targetRevision: "HEAD" }])}>
        Add a source
      </Button>
    </>
  );
}

function moved(sources: readonly ApplicationSource[], index: number): ApplicationSource[] {
  const one = sources[index];
  return one ? sources.toSpliced(index, 1).toSpliced(index - 1, 0, one) : [...sources];
}

/** One is written as `source`, unless it was a list already. */
export function withSources(app: Application, sources: readonly ApplicationSource[]): Application {
  const { source: _one, sources: before, ...spec } = app.spec;
  const [first] = sources;
  if (sources.length === 1 && first && !before?.length) return { ...app, spec: { ...spec, source: first } };
  return { ...app, spec: { ...spec, sources: [...sources] } };
}

interface Moves {
  onUp?: (() => void) | undefined;
  onRemove?: (() => void) | undefined;
}

interface SourceProps extends Moves {
  source: ApplicationSource;
  title: string;
  project: string;
  isOneOfMany: boolean;
  onChange(source: ApplicationSource): void;
}

/** What the repository has is asked for once somebody stands in the field. */
function Source({ source, title, project, isOneOfMany, onChange, onUp, onRemove }: SourceProps) {
  const [asked, setAsked] = useState({ refs: false, apps: false });
  const { repoURL, targetRevision = "", chart } = source;
  const of = { repo: repoURL, project };
  const repositories = useRepositories().data?.items ?? [];
  const charts = useCharts(of, asked.apps && chart !== undefined).data?.items ?? [];
  const refs = useRefs(of, asked.refs && chart === undefined);
  const apps = useRepositoryApps({ ...of, revision: targetRevision }, asked.apps && chart === undefined);
  const versions = charts.find(({ name }) => name === chart)?.versions;
  const put = (name: "repoURL" | "targetRevision" | "path" | "chart" | "ref") => (value: string) => {
    const { [name]: _before, ...others } = source;
    const isKept = value !== "" || name === "repoURL";
    onChange(
      isKept
        ? { ...others, [name]: value, repoURL: name === "repoURL" ? value : repoURL }
        : { ...others, repoURL },
    );
  };
  const { branches = [], tags = [] } = refs.data ?? {};
  return (
    <fieldset>
      <SourceLegend {...{ title, onUp, onRemove }} />
      <FormField
        label="Repository"
        required
        value={repoURL}
        choices={repositories.map(({ repo }) => repo)}
        hint="https, ssh, oci or file URL"
        onChange={put("repoURL")}
      />
      <div className="field-pair">
        <FormField
          label="Revision"
          value={targetRevision}
          choices={versions ?? (chart === undefined ? ["HEAD", ...branches, ...tags] : [])}
          hint={refs.error ? "What it has cannot be read" : "Branch, tag, commit or version"}
          onFocus={() => setAsked({ ...asked, refs: true })}
          onChange={put("targetRevision")}
        />
        {chart === undefined && (
          <FormField
            label="Path"
            hint="Empty: a chart is chosen instead"
            value={source.path ?? ""}
            choices={
              apps.data?.items.map(({ path, type }) => ({ value: path, label: `${path} (${type})` })) ?? []
            }
            onFocus={() => setAsked({ ...asked, apps: true })}
            onChange={put("path")}
          />
        )}
        {source.path === undefined && (
          <FormField
            label="Chart"
            value={chart ?? ""}
            choices={charts.map(({ name }) => name)}
            onFocus={() => setAsked({ ...asked, apps: true })}
            onChange={put("chart")}
          />
        )}
        {isOneOfMany && (
          <FormField
            label="Ref"
            hint="The name by which others use its files"
            value={source.ref ?? ""}
            onChange={put("ref")}
          />
        )}
      </div>
    </fieldset>
  );
}

function SourceLegend({ title, onUp, onRemove }: Pick<SourceProps, "title"> & Moves) {
  return (
    <legend>
      {title}
      {onUp && (
        <Button look="quiet" onClick={onUp}>
          Move up
        </Button>
      )}
      {onRemove && (
        <Button look="quiet" icon="close" aria-label={`Remove ${title}`} title="Remove" onClick={onRemove} />
      )}
    </legend>
  );
}
