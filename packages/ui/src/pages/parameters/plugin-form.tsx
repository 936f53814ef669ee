import { useState } from "react";
import { PairEditor } from "../../parts/forms/row-editors.tsx";
import { Button } from "../../primitives/button.tsx";
import type { Draft, DraftParameter } from "./draft.ts";
import { FieldRow } from "./field-row.tsx";
import { everyStage, type FieldGroup } from "./fields.ts";
import { type Problems, parameterPlace } from "./problems.ts";

interface Props {
  groups: readonly FieldGroup[];
  draft: Draft;
  problems: Problems;
  onChange(patch: Partial<Draft>): void;
}

/** The parameters of each stage and the variables that its commands get. */
export function PluginForm({ groups, draft, problems, onChange }: Props) {
  const put = (address: string, value: DraftParameter | undefined) => {
    const at = draft.parameters.findIndex(({ name }) => name === address);
    if (value === undefined)
      onChange({ parameters: draft.parameters.filter(({ name }) => name !== address) });
    else onChange({ parameters: at < 0 ? [...draft.parameters, value] : draft.parameters.with(at, value) });
  };
  const isPipeline = groups.some(({ isStage }) => isStage);
  return (
    <>
      {groups.map((group) => (
        <Group key={group.stage.name} {...{ group, draft, problems, put }} />
      ))}
      <section className="parameter-group" aria-label="Variables">
        <h2>Variables</h2>
        <p className="dim">
          What commands find as <code>ARGOCD_ENV_NAME</code>.
          {isPipeline && (
            <>
              {" "}
              <code>STAGE/NAME</code> is for one stage alone.
            </>
          )}
        </p>
        <PairEditor
          label="Variables"
          words={["name", "value"]}
          value={draft.env}
          onChange={(env) => onChange({ env })}
        />
        {problems.has("env") && <p className="field-problem">{problems.get("env")}</p>}
      </section>
    </>
  );
}

interface GroupProps {
  group: FieldGroup;
  draft: Draft;
  problems: Problems;
  put(address: string, value: DraftParameter | undefined): void;
}

function Group({ group: { stage, isStage, fields }, draft, problems, put }: GroupProps) {
  const title = isStage ? stage.name : "Parameters";
  const takesMore = stage !== everyStage && stage.plugin !== "kustomize" && stage.plugin !== "directory";
  return (
    <section className="parameter-group" aria-label={title}>
      <h2>
        {title}
        {isStage && stage.plugin !== "" && stage.plugin !== stage.name && (
          <span className="dim"> {stage.plugin}</span>
        )}
      </h2>
      {stage.problem && <p className="note">The plugin could not be asked what it takes: {stage.problem}</p>}
      {fields.map((field) => (
        <FieldRow
          key={field.address}
          field={field}
          set={draft.parameters.find(({ name }) => name === field.address)}
          problem={problems.get(parameterPlace(field.address))}
          onChange={(value) => put(field.address, value)}
        />
      ))}
      {fields.length === 0 && (
        <p className="dim">
          {takesMore
            ? "It announces no parameters."
            : "It is set up in the pipeline and takes no parameters."}
        </p>
      )}
      {takesMore && (
        <AddParameter
          label={`Another parameter of ${title}`}
          onAdd={(name, kind) => {
            const address = isStage ? `${stage.name}/${name}` : name;
            if (fields.some((field) => field.address === address)) return;
            put(address, { name: address, ...empty[kind] });
          }}
        />
      )}
    </section>
  );
}

const empty = {
  text: { string: "" },
  list: { array: [""] },
  map: { map: [{ name: "", value: "" }] },
} as const;

interface AddProps {
  label: string;
  onAdd(name: string, kind: keyof typeof empty): void;
}

/** For plugins that announce nothing, or not all that they take. */
function AddParameter({ label, onAdd }: AddProps) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<keyof typeof empty>("text");
  return (
    <form
      className="add-parameter"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() === "") return;
        onAdd(name.trim(), kind);
        setName("");
      }}
    >
      <input
        aria-label={label}
        placeholder="another parameter"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <select
        aria-label="Its type"
        value={kind}
        onChange={({ target }) =>
          setKind(target.value === "list" || target.value === "map" ? target.value : "text")
        }
      >
        <option value="text">text</option>
        <option value="list">list</option>
        <option value="map">map</option>
      </select>
      <Button type="submit">Add</Button>
    </form>
  );
}
