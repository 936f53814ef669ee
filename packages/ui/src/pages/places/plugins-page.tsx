import type { ParameterAnnouncement } from "@capstan/model";
import type { PluginSummary } from "@capstan/wire";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { usePlugins } from "../../queries/places.ts";

/** What an application can name as its plugin, and what each takes. */
export function PluginsPage() {
  const { data, error, isPending } = usePlugins();
  return (
    <div className="listing">
      <h1>Plugins</h1>
      {error && <Problem title="Plugins cannot be read" failure={error} />}
      {isPending && <SkeletonRows rows={5} height={48} />}
      {data && (
        <ul className="plugin-list">
          {(data.plugins ?? []).map((plugin) => (
            <PluginItem key={plugin.name} plugin={plugin} />
          ))}
        </ul>
      )}
      {data && (
        <p className="dim">
          Write one: <code>capstan plugin init my-plugin</code>, then{" "}
          <code>capstan plugin dev my-plugin</code>.
        </p>
      )}
    </div>
  );
}

/** An Argo CD server tells no more than the names. */
function PluginItem({ plugin }: { plugin: Pick<PluginSummary, "name"> & Partial<PluginSummary> }) {
  const { name, origin, sensitive, parameters = [] } = plugin;
  return (
    <li>
      <h2>
        {name}
        {origin && <span className="chip">{origin}</span>}
        {sensitive && <span className="chip">holds secrets</span>}
      </h2>
      <p className="dim">{factsOf(plugin).join(" · ")}</p>
      {parameters.length > 0 && (
        <details>
          <summary>{parameters.length === 1 ? "1 parameter" : `${parameters.length} parameters`}</summary>
          <ParameterList parameters={parameters} />
        </details>
      )}
    </li>
  );
}

const renderedAgain: Readonly<Record<PluginSummary["keyedBy"], string>> = {
  repository: "renders again after every commit",
  declared: "renders again when the files change that it names",
  observed: "renders again when files change that it was seen to read",
};

function factsOf({ shapes, discovery, keyedBy, stages }: Partial<PluginSummary>): string[] {
  const names = (stages ?? []).map((stage) =>
    stage.name === stage.plugin ? stage.name : `${stage.name} (${stage.plugin})`,
  );
  return [
    ...(names.length > 0 ? [names.join(" → ")] : shapes ? [shapes.map((one) => `${one}s`).join(", ")] : []),
    ...(discovery
      ? [`used unnamed where ${discovery === "asks the plugin" ? "it says so" : discovery}`]
      : []),
    ...(keyedBy ? [renderedAgain[keyedBy]] : []),
  ];
}

function ParameterList({ parameters }: { parameters: readonly ParameterAnnouncement[] }) {
  return (
    <table className="stage-parameters">
      <thead>
        <tr>
          <th scope="col">Parameter</th>
          <th scope="col">Type</th>
          <th scope="col">Default</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {parameters.map((one) => (
          <tr key={one.name}>
            <th scope="row">{one.name}</th>
            <td>{typeOf(one)}</td>
            <td>{one.required ? "must be set" : defaultOf(one)}</td>
            <td className="dim">{one.tooltip ?? one.title ?? ""}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function typeOf({ collectionType = "", itemType = "", choices = [] }: ParameterAnnouncement): string {
  if (choices.length > 0) return choices.join(" | ");
  const item = itemType || "string";
  return collectionType === "array" || collectionType === "map" ? `${collectionType} of ${item}` : item;
}

function defaultOf({ string, array, map }: ParameterAnnouncement): string {
  const entries = Object.entries(map ?? {}).map(([key, value]) => `${key}=${value}`);
  return string ?? [...(array ?? []), ...entries].join(", ");
}
