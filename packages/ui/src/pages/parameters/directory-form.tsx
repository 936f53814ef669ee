import { ListEditor } from "../../parts/forms/row-editors.tsx";
import { Check, checkOf, type FormProps, fieldOf, Row, TextRow } from "./form-rows.tsx";
import { VariableEditor } from "./variable-editor.tsx";

export function DirectoryForm(props: FormProps) {
  const { draft } = props;
  return (
    <section className="parameter-group" aria-label="Directory">
      <h2>Directory</h2>
      <Row label="Folders below" htmlFor="recurse" isSet={draft.recurse}>
        <Check id="recurse" label="read them too" {...checkOf(props, "recurse")} />
      </Row>
      <TextRow
        label="Only files"
        isCode
        placeholder="{*.yaml,*.json}"
        hint="A glob"
        {...fieldOf(props, "include")}
      />
      <TextRow
        label="No files"
        isCode
        placeholder="*-test.yaml"
        hint="A glob"
        {...fieldOf(props, "exclude")}
      />
      <Jsonnet {...props} />
    </section>
  );
}

/** What files of Jsonnet are given; other files do not see it. */
function Jsonnet(props: FormProps) {
  const { draft, problems } = props;
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
        <VariableEditor label="Top-level arguments" {...fieldOf(props, "tlas")} />
      </Row>
      <Row
        label="External variables"
        hint="std.extVar"
        problem={problems.get("extVars")}
        isSet={extVars.length > 0}
      >
        <VariableEditor label="External variables" {...fieldOf(props, "extVars")} />
      </Row>
      <Row
        label="Library folders"
        hint="From the repository's root, for imports"
        problem={problems.get("libs")}
        isSet={libs.length > 0}
      >
        <ListEditor label="Library folders" {...fieldOf(props, "libs")} />
      </Row>
    </>
  );
}
