import type { Application } from "@capstan/model";
import { useClusters, useProjects } from "../../queries/places.ts";
import { type Pair, PairEditor } from "../forms/row-editors.tsx";
import { FormField } from "./form-field.tsx";
import { IgnoreFields } from "./ignore-fields.tsx";
import { PolicyFields } from "./policy-fields.tsx";
import { SourceFields } from "./source-fields.tsx";

interface Props {
  app: Application;
  /** Then it may be called anything. */
  isNew: boolean;
  onChange(app: Application): void;
}

/** What people change of an Application; what the form does not show stays as the text has it. */
export function ApplicationForm({ app, isNew, onChange }: Props) {
  const projects = useProjects().data?.items?.map(({ metadata }) => metadata.name) ?? [];
  const { metadata, spec } = app;
  return (
    <>
      <fieldset>
        <legend>What it is</legend>
        {isNew && (
          <FormField
            label="Name"
            required
            hint="Lower-case letters, digits and dashes"
            value={metadata.name}
            onChange={(name) => onChange({ ...app, metadata: { ...metadata, name } })}
          />
        )}
        <FormField
          label="Project"
          required
          value={spec.project}
          choices={projects}
          onChange={(project) => onChange({ ...app, spec: { ...spec, project } })}
        />
      </fieldset>
      <SourceFields app={app} onChange={onChange} />
      <DestinationFields app={app} onChange={onChange} />
      <PolicyFields app={app} onChange={onChange} />
      <IgnoreFields app={app} onChange={onChange} />
      <fieldset>
        <legend>Labels</legend>
        <PairEditor
          label="Labels"
          words={["Label", "Value"]}
          value={Object.entries(metadata.labels ?? {}).map(([name, value]) => ({ name, value }))}
          onChange={(pairs) => onChange(withLabels(app, pairs))}
        />
      </fieldset>
    </>
  );
}

function withLabels(app: Application, pairs: readonly Pair[]): Application {
  const { labels: _before, ...metadata } = app.metadata;
  const labels = Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
  return { ...app, metadata: pairs.length === 0 ? metadata : { ...metadata, labels } };
}

/** By its URL or by its name, as it is written already. */
function DestinationFields({ app, onChange }: Omit<Props, "isNew">) {
  const clusters = useClusters().data?.items ?? [];
  const { destination } = app.spec;
  const put = (changed: Application["spec"]["destination"]) =>
    onChange({ ...app, spec: { ...app.spec, destination: changed } });
  const putCluster = (cluster: string) => {
    const { server: _server, name: _name, ...others } = destination;
    put(
      cluster.includes("://") || cluster === ""
        ? { ...others, server: cluster }
        : { ...others, name: cluster },
    );
  };
  return (
    <fieldset>
      <legend>Into</legend>
      <div className="field-pair">
        <FormField
          label="Cluster"
          required
          hint="Its URL or its name"
          value={destination.server ?? destination.name ?? ""}
          choices={clusters.flatMap(({ server, name }) => [server, ...(name ? [name] : [])])}
          onChange={putCluster}
        />
        <FormField
          label="Namespace"
          value={destination.namespace ?? ""}
          onChange={(namespace) => {
            const { namespace: _before, ...others } = destination;
            put(namespace === "" ? others : { ...others, namespace });
          }}
        />
      </div>
    </fieldset>
  );
}
