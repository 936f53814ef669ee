import { Check, type FormProps, Row, TextRow } from "./form-rows.tsx";
import { ListEditor } from "./row-editors.tsx";
import { VariableEditor } from "./variable-editor.tsx";

export function DirectoryForm(props: FormProps) {
  const { draft, onChange } = props;
  return (
    <section className="parameter-group" aria-label="Directory">
      <h2>Directory</h2>
      <Row label="Folders below" htmlFor="recurse" isSet={draft.recurse}>
        <Check
          id="recurse"
          label="read them too"
          checked={draft.recurse}
          onChange={(recurse) => onChange({ recurse })}
        />
      </Row>
      <TextRow
        label="Only files"
        isCode
        value={draft.include}
        placeholder="{*.yaml,*.json}"
        hint="A glob"
        onChange={(include) => onChange({ include })}
      />
      <TextRow
        label="No files"
        isCode
        value={draft.exclude}
        placeholder="*-test.yaml"
        hint="A glob"
        onChange={(exclude) => onChange({ exclude })}
      />
      <Jsonnet {...props} />
    </section>
  );
}

/** What files of Jsonnet are given; other files do not see it. */
function Jsonnet({ draft, problems, onChange }: FormProps) {
  const { tlas, extVars, libs } = draft;
  return (
    <>
      <div className="parameter-tools">
        <h3>Jsonnet</h3>
      </div>
      <Row
        label="Top-level arguments"
        hint="For files that are functions"
        problem={problems.get("tlas")}
        isSet={tlas.length > 0}
      >
        <VariableEditor
          label="Top-level arguments"
          variables={tlas}
          onChange={(variables) => onChange({ tlas: variables })}
        />
      </Row>
      <Row
        label="External variables"
        hint="std.extVar"
        problem={problems.get("extVars")}
        isSet={extVars.length > 0}
      >
        <VariableEditor
          label="External variables"
          variables={extVars}
          onChange={(variables) => onChange({ extVars: variables })}
        />
      </Row>
      <Row
        label="Library folders"
        hint="From the repository's root, for imports"
        problem={problems.get("libs")}
        isSet={libs.length > 0}
      >
        <ListEditor label="Library folders" items={libs} onChange={(items) => onChange({ libs: items })} />
      </Row>
    </>
  );
}
