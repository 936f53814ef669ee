import { useState } from "react";
import { ListEditor } from "../../parts/forms/row-editors.tsx";
import type { HelmParameter } from "./draft.ts";
import { AddName, Check, type FormProps, fieldOf, Row, TextRow } from "./form-rows.tsx";

const mostRows = 60;

export function HelmForm(props: FormProps) {
  const { draft, description, problems, onChange } = props;
  return (
    <section className="parameter-group" aria-label="Helm">
      <h2>Helm</h2>
      <TextRow
        label="Release name"
        hint="Default: the application's name"
        {...fieldOf(props, "releaseName")}
      />
      <Row label="Value files" hint="Later ones win." problem={problems.get("valueFiles")}>
        <ListEditor
          id="value-files"
          label="Value files"
          suggestions={description?.helm?.valueFiles ?? []}
          {...fieldOf(props, "valueFiles")}
        />
      </Row>
      <Row
        label="Values"
        htmlFor="helm-values"
        hint="YAML, over the value files."
        problem={problems.get("values")}
      >
        <textarea
          id="helm-values"
          className="code-field"
          spellCheck={false}
          value={draft.values}
          aria-invalid={problems.has("values") || undefined}
          onChange={({ target }) => onChange({ values: target.value })}
        />
      </Row>
      <HelmParameters {...{ draft, description, problems, onChange }} />
    </section>
  );
}

function HelmParameters({ draft, description, problems, onChange }: FormProps) {
  const [filter, setFilter] = useState("");
  const own = draft.helmParameters;
  const set = new Map(own.map((one) => [one.name, one]));
  const byDefault = new Map((description?.helm?.parameters ?? []).map((one) => [one.name, one.value]));
  // What the server tells is the chart's values with those that lie over them.
  const hasOverlays = draft.valueFiles.length > 0 || draft.values !== "";
  const names = [...new Set([...set.keys(), ...byDefault.keys()])].filter((one) =>
    one.toLowerCase().includes(filter.toLowerCase()),
  );
  const put = (parameter: HelmParameter) =>
    onChange({
      helmParameters: set.has(parameter.name)
        ? own.map((one) => (one.name === parameter.name ? parameter : one))
        : [...own, parameter],
    });
  const problem = problems.get("helmParameters");
  return (
    <>
      <div className="parameter-tools">
        <h3>Parameters</h3>
        <input
          aria-label="Filter parameters"
          placeholder="Filter"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
      </div>
      {problem && <p className="field-problem">{problem}</p>}
      {names.slice(0, mostRows).map((one) => (
        <HelmParameterRow
          key={one}
          name={one}
          set={set.get(one)}
          byDefault={byDefault.get(one)}
          from={hasOverlays ? "chart and values" : "chart"}
          onSet={put}
          onReset={() => onChange({ helmParameters: own.filter((other) => other.name !== one) })}
        />
      ))}
      {names.length > mostRows && <p className="dim">{names.length - mostRows} more: filter for one.</p>}
      <AddName
        label="Name of another parameter"
        placeholder="another.parameter"
        onAdd={(name) => set.has(name) || put({ name, value: "", forceString: false })}
      />
    </>
  );
}

interface HelmParameterProps {
  name: string;
  set: HelmParameter | undefined;
  byDefault: string | undefined;
  /** Where that stands. */
  from: string;
  onSet(parameter: HelmParameter): void;
  onReset(): void;
}

function HelmParameterRow({ name, set, byDefault, from, onSet, onReset }: HelmParameterProps) {
  const id = `helm ${name}`;
  return (
    <div className="parameter" data-set={set ? "" : undefined}>
      <div className="parameter-label">
        <label htmlFor={id} className="mono">
          {name}
        </label>
      </div>
      <div className="parameter-control">
        <input
          id={id}
          value={set?.value ?? ""}
          placeholder={set ? "empty text" : byDefault}
          onChange={({ target }) => onSet({ forceString: false, ...set, name, value: target.value })}
        />
        {set && (
          <Check
            label="always a text"
            checked={set.forceString}
            onChange={(forceString) => onSet({ ...set, forceString })}
          />
        )}
      </div>
      <div className="parameter-from">
        {set ? (
          <button type="button" className="button quiet" onClick={onReset}>
            Reset
          </button>
        ) : (
          <span className="dim">{from}</span>
        )}
      </div>
    </div>
  );
}
